"""Problems in settings, collected so that all of them are reported at once."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.errors import ConfigError


@dataclass(frozen=True)
class Problem:
    """A problem.

    Attributes:
        origin: its place, such as ``conf/demo.yaml, line 3`` or ``flag --lake``.
        key: dotted key of the setting; empty if there is none.
        what: what is wrong.
        remedy: what to do.
        meant: flags that were probably meant; that they are missing is the same mistake.
    """

    origin: str
    key: str
    what: str
    remedy: str
    meant: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Origin, key (unless a flag names it already) and problem, with the remedy below."""
        subject = f"{self.key}: " if self.key and not self.origin.startswith("flag ") else ""
        return f"{self.origin}: {subject}{self.what}\n→ {self.remedy}"


class SettingsError(ConfigError):
    """All problems found in the settings of a job."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """List the problems, one below the other."""
        count = "1 invalid setting" if len(problems) == 1 else f"{len(problems)} invalid settings"
        listed = "\n".join("  - " + textwrap.indent(str(problem), "    ").lstrip() for problem in problems)
        super().__init__(
            f"{count}; nothing was read or written\n{listed}",
            "see --help-all for all settings and --dry-run for their values",
        )
        self.problems = tuple(problems)
