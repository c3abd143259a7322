"""Collects the changes and checks of a nightly run; both tables have few rows."""

from __future__ import annotations

from itertools import groupby

from pyspark.sql import Row

from cqa_spark.checks.check import Verdict
from cqa_spark.reports.night.content import Night, TableChange
from cqa_spark.reports.scope import Scope

_KINDS = ("new", "gone", "changed")


def collect_night(scope: Scope) -> Night | None:
    """Changes by site and table, and verdicts in the order of the checks; None for a run without checks."""
    checks, changes = scope.table("checks"), scope.table("changes")
    if checks is None:
        return None
    verdicts = tuple(
        Verdict(row["check"], row["passed"], row["measured"], row["limit"], row["reason"]) for row in checks.collect()
    )
    return Night(_by_table(changes.collect()) if changes is not None else (), verdicts)


def _by_table(rows: list[Row]) -> tuple[TableChange, ...]:
    def place(row: Row) -> tuple[str, str]:
        return row["site"], row["table_name"]

    found = []
    for (site, table), of_table in groupby(sorted(rows, key=place), key=place):
        counts = {row["change"]: row["rows"] for row in of_table}
        found.append(TableChange(site, table, *[counts.get(kind, 0) for kind in _KINDS]))
    return tuple(found)
