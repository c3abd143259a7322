"""The tables of changes and checks."""

from __future__ import annotations

from collections.abc import Iterator

from cqa_spark.checks.check import Verdict
from cqa_spark.reports.kit.grid import Cell, Grid
from cqa_spark.reports.kit.numbers import count, significant
from cqa_spark.reports.night.content import Night


def night_grids(night: Night) -> tuple[Grid, ...]:
    """The tables that have rows."""
    return tuple(grid for grid in _grids(night) if grid.rows)


def _grids(night: Night) -> Iterator[Grid]:
    yield Grid(
        title="Changes",
        about="Tables of sites whose dump changed since the published run.",
        headings=("table", "site", "rows before", "rows"),
        rows=tuple(
            (each.table, (Cell(each.site), Cell(count(each.rows_before)), Cell(count(each.rows))))
            for each in night.changes
        ),
        texts=("site",),
    )
    yield Grid(
        title="Checks",
        about="If a check fails, the previous run stays published unless the failure is overridden.",
        headings=("check", "verdict", "measured", "limit", "description"),
        rows=tuple((each.check, _cells(each)) for each in night.verdicts),
        texts=("verdict", "description"),
    )


def _cells(verdict: Verdict) -> tuple[Cell, ...]:
    passed = Cell("passed", role="better") if verdict.passed else Cell("FAILED", role="worse")
    return passed, Cell(significant(verdict.measured)), Cell(significant(verdict.limit)), Cell(verdict.reason)
