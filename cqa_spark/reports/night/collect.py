"""Collects the changes and checks of a nightly run."""

from __future__ import annotations

from cqa_spark.checks.check import Verdict
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.night.content import Night, TableChange
from cqa_spark.reports.scope import Scope


def collect_night(scope: Scope) -> Night | None:
    """Changes by site and table, and verdicts in the order of the checks; None for a run without checks."""
    if "checks" not in scope.journal:
        return None
    verdicts = tuple(from_entry(Verdict, entry) for entry in scope.entries("checks"))
    changes = [
        TableChange(entry["site"], entry["table_name"], entry["rows_before"], entry["rows"])
        for entry in scope.entries("changes")
    ]
    return Night(tuple(changes), verdicts)
