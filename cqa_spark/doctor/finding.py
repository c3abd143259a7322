"""The outcome of a check."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cqa_spark.errors import CqaError, message_of

Verdict = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes:
        check: name of the check.
        verdict: ok, warning or failed; jobs run despite warnings.
        found: description of the finding.
        remedy: what to do; empty without a problem.
    """

    check: str
    verdict: Verdict
    found: str
    remedy: str = ""


class Doubt(CqaError):
    """A problem that does not stop jobs."""


def examine(check: str, probe: Callable[[], str]) -> Finding:
    """Run a check.

    Args:
        check: name of the check.
        probe: returns a description; raises a ``Doubt`` for a warning, and any other exception for a failure.
    """
    try:
        return Finding(check, "ok", probe())
    except Doubt as doubt:
        return Finding(check, "warning", doubt.problem, doubt.remedy)
    except CqaError as error:
        return Finding(check, "failed", error.problem, error.remedy)
    except Exception as error:  # Java, MLflow and sockets raise many types
        first_line = (message_of(error).strip() or "no reason given").splitlines()[0]
        return Finding(
            check, "failed", f"{type(error).__name__}: {first_line}", "see the message; no temporary files are left"
        )
