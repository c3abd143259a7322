"""The input and the result of a check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.table import Table


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
class Contents:
    """Row and null counts of a table.

    Attributes:
        rows: number of rows.
        null_shares: share of nulls by column, without columns of arrays and maps.
    """

    rows: int
    null_shares: Mapping[str, float]


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
        contents: by name, counts of the run's tables.
        last_contents: by name, counts of the published tables.
        same: names of the tables with the same version in both runs, which checks can skip.
    """

    now: Mapping[str, DataFrame]
    last: Mapping[str, DataFrame]
    system: str
    measure: str
    entries: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    last_entries: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    contents: Mapping[str, Contents] = field(default_factory=dict)
    last_contents: Mapping[str, Contents] = field(default_factory=dict)
    same: frozenset[str] = frozenset()

    def both(self, table: Table) -> tuple[DataFrame, DataFrame] | None:
        """The published rows of a table and the run's; None if one of them has no such table."""
        if table.name in self.now and table.name in self.last:
            return self.last[table.name], self.now[table.name]
        return None

    def differing(self, tables: Iterable[Table]) -> dict[str, tuple[Contents, Contents]]:
        """Counts of the published and the run's version of the tables that differ, by name."""
        names = [table.name for table in tables if table.name not in self.same]
        both = [name for name in names if name in self.contents and name in self.last_contents]
        return {name: (self.last_contents[name], self.contents[name]) for name in both}


Check = Callable[[RunUnderReview, CheckSettings], Verdict]


def nothing_to_compare(check: str, limit: float) -> Verdict:
    """The verdict of a check that compares with the published run, if there is none."""
    return Verdict(check, True, None, limit, "nothing comparable is published")


def nothing_differs(check: str, limit: float) -> Verdict:
    """The verdict of a check whose tables are all unchanged."""
    return Verdict(check, True, 0.0, limit, "all tables are unchanged")
