"""The input and the result of a check."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError
from cqa_spark.evaluation.statistics.clusters import FEWEST
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.table import Table, TableFiles
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.sections import CheckSettings


@dataclass(frozen=True)
class Verdict:
    """The result of a check.

    Attributes:
        check: name of the check.
        passed: whether the run may be published.
        measured: value compared with the limit; None if nothing was compared.
        limit: the limit.
        reason: description of what was measured, with the worst case.
    """

    check: str
    passed: bool
    measured: float | None
    limit: float
    reason: str


@dataclass(frozen=True)
class RunUnderReview:
    """The tables of a run under review and those of the published run.

    Attributes:
        now: by name, the tables of the run.
        last: by name, the published tables; empty if nothing comparable is published.
        system: the system whose rankings are served.
        measure: the measure by which systems are ordered.
        entries: by name, the journal tables of the run.
        last_entries: by name, the published journal tables.
        files: by name, the files of the run's tables, with their row and null counts.
        last_files: by name, the files of the published tables.
        min_answers: number of answers from which a question must be served; None for tasks without replayed nights.
    """

    now: Mapping[str, DataFrame]
    last: Mapping[str, DataFrame]
    system: str
    measure: str
    entries: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    last_entries: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    files: Mapping[str, TableFiles] = field(default_factory=dict)
    last_files: Mapping[str, TableFiles] = field(default_factory=dict)
    min_answers: int | None = None

    def both(self, table: Table) -> tuple[DataFrame, DataFrame] | None:
        """The published rows of a table and the run's; None if one of them has no such table."""
        if table.name in self.now and table.name in self.last:
            return self.last[table.name], self.now[table.name]
        return None

    @property
    def same(self) -> set[str]:
        """Names of the tables that have the same files in both runs, which checks can skip."""
        both = self.files.keys() & self.last_files.keys()
        return {name for name in both if self.files[name].files == self.last_files[name].files}

    def differing(self, tables: Iterable[Table]) -> dict[str, tuple[TableFiles, TableFiles]]:
        """The published and the run's files of the tables that differ, by name."""
        both = {table.name for table in tables} & self.files.keys() & self.last_files.keys() - self.same
        return {name: (self.last_files[name], self.files[name]) for name in sorted(both)}


class CheckFunction(Protocol):
    """A function from a run under review and the limits to a verdict.

    Attributes:
        tables: the tables and journal tables that it reads, as far as the runs have them; ``reads`` declares them.
    """

    tables: tuple[Table | JournalTable, ...]

    def __call__(self, review: RunUnderReview, limits: CheckSettings, /) -> Verdict:
        """The verdict on a run."""


def reads(
    *tables: Table | JournalTable,
) -> Callable[[Callable[[RunUnderReview, CheckSettings], Verdict]], CheckFunction]:
    """Declare the tables that a check reads."""

    def declare(function: Callable[[RunUnderReview, CheckSettings], Verdict]) -> CheckFunction:
        check = cast(CheckFunction, function)
        check.tables = tables
        return check

    return declare


CHECKS: PluginKind[CheckFunction] = PluginKind("checks", "check")


def all_checks() -> list[CheckFunction]:
    """All checks, in alphabetical order.

    Raises:
        EnvironmentProblem: one of them cannot be imported; a run that lacks it must not be published.
        ContractError: one of them does not declare its tables.
    """
    checks = {name: CHECKS.load(name) for name in CHECKS.names()}
    if undeclared := [name for name, check in checks.items() if not hasattr(check, "tables")]:
        raise ContractError(
            f"the check {undeclared[0]} of {CHECKS.registration(undeclared[0]).origin} declares no tables",
            "decorate it with @reads of cqa_spark.checks.check",
        )
    return list(checks.values())


def nothing_to_compare(check: str, limit: float) -> Verdict:
    """The verdict of a check that compares with the published run, if there is none."""
    return Verdict(check, True, None, limit, "nothing comparable is published")


def too_few(check: str, limit: float, measured: str) -> Verdict:
    """The verdict of a check with fewer than ``FEWEST`` threads or queries, which decide nothing.

    Args:
        check: its name.
        limit: its limit.
        measured: what was measured on them, in words.
    """
    return Verdict(check, True, None, limit, f"too few to tell (fewer than {FEWEST}): {measured}")


def nothing_differs(check: str, limit: float) -> Verdict:
    """The verdict of a check whose tables are all unchanged."""
    return Verdict(check, True, 0.0, limit, "all tables are unchanged")
