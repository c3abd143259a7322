"""Collects the changes and checks of a nightly run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from cqa_spark.checks.check import Verdict
from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.night.content import Night, TableChange
from cqa_spark.reports.scope import Scope

_KINDS = ("new", "gone", "changed")


def collect_night(scope: Scope) -> Night | None:
    """Changes by site and table, and verdicts in the order of the checks; None for a run without checks."""
    if "checks" not in scope.journal:
        return None
    verdicts = tuple(from_entry(Verdict, entry) for entry in scope.entries("checks"))
    return Night(_by_table(scope.entries("changes")), verdicts)


def _by_table(changes: Sequence[Entry]) -> tuple[TableChange, ...]:
    def place(entry: Entry) -> tuple[str, str]:
        return entry["site"], entry["table_name"]

    found = []
    for (site, table), of_table in groupby(sorted(changes, key=place), key=place):
        rows = {entry["change"]: entry["rows"] for entry in of_table}
        found.append(TableChange(site, table, *[rows.get(kind, 0) for kind in _KINDS]))
    return tuple(found)
