"""What a check finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cqa_spark.errors import CqaError

Verdict = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes:
        check: what was tried.
        verdict: whether jobs can rely on it; a warning costs something, a failure costs the job.
        found: what was found, for people.
        remedy: what to do; empty where all is well.
    """

    check: str
    verdict: Verdict
    found: str
    remedy: str = ""


class Doubt(CqaError):
    """Something that jobs can do without."""


def examine(check: str, probe: Callable[[], str]) -> Finding:
    """Try something.

    Args:
        check: what is tried.
        probe: tries it, and says what it found; raises a ``Doubt`` for a warning, and anything else where it fails.
    """
    try:
        return Finding(check, "ok", probe())
    except Doubt as doubt:
        return Finding(check, "warning", doubt.problem, doubt.remedy)
    except CqaError as error:
        return Finding(check, "failed", error.problem, error.remedy)
    except Exception as error:  # Java, MLflow and sockets raise whatever they like
        first_line = (str(error).strip() or "no reason given").splitlines()[0]
        return Finding(check, "failed", f"{type(error).__name__}: {first_line}", "see the message; nothing was left")
