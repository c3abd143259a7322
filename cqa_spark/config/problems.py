"""Mistakes in settings, gathered so that all of them are reported at once."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cqa_spark.errors import ConfigError


@dataclass(frozen=True)
class Problem:
    """One mistake.

    Attributes:
        origin: where it was made, such as ``conf/demo.yaml, line 3`` or ``flag --lake``.
        key: the setting, as its YAML key with dots between the levels; empty where there is none.
        what: what is wrong.
        remedy: what to do.
    """

    origin: str
    key: str
    what: str
    remedy: str

    def __str__(self) -> str:
        """Origin, key (where a flag does not spell it already) and what is wrong; below it the remedy."""
        subject = f"{self.key}: " if self.key and not self.origin.startswith("flag ") else ""
        return f"{self.origin}: {subject}{self.what}\n→ {self.remedy}"


class SettingsError(ConfigError):
    """Every mistake that was found in the settings of one job."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """List the problems, one below the other."""
        count = "1 setting" if len(problems) == 1 else f"{len(problems)} settings"
        listed = "\n".join("  - " + textwrap.indent(str(problem), "    ").lstrip() for problem in problems)
        super().__init__(
            f"{count} cannot be used; nothing was read or written\n{listed}",
            "--help lists every setting, --dry-run prints what was understood",
        )
        self.problems = tuple(problems)


def did_you_mean(wrong: str, known: Iterable[str], otherwise: str) -> str:
    """A remedy that names what could have been meant: spellings with a near last part, else those near as a whole.

    Args:
        wrong: what was written.
        known: the right spellings.
        otherwise: the remedy where nothing is near.
    """
    names = sorted(known)
    parts = difflib.get_close_matches(_last_part(wrong), {_last_part(name) for name in names}, n=3, cutoff=0.75)
    near = [name for name in names if _last_part(name) in parts] or difflib.get_close_matches(wrong, names, cutoff=0.7)
    near.sort(key=lambda name: -difflib.SequenceMatcher(None, wrong, name).ratio())
    return f"did you mean {' or '.join(near[:3])}?" if near else otherwise


def _last_part(name: str) -> str:
    return name.rpartition(".")[2].lstrip("-")
