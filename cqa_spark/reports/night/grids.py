"""The tables of what a night found."""

from __future__ import annotations

from collections.abc import Iterator

from cqa_spark.checks.check import Verdict
from cqa_spark.reports.grid import Cell, Grid
from cqa_spark.reports.night.content import Night
from cqa_spark.reports.wording import count


def night_grids(night: Night) -> tuple[Grid, ...]:
    """Changes and checks, as far as there are any."""
    return tuple(grid for grid in _grids(night) if grid.rows)


def _grids(night: Night) -> Iterator[Grid]:
    yield Grid(
        title="Changes",
        about="Rows that came, went or have another content than in the run that was published before.",
        headings=("table", "site", "new", "gone", "changed"),
        rows=tuple(
            (each.table, (Cell(each.site), *[Cell(count(rows)) for rows in (each.new, each.gone, each.changed)]))
            for each in night.changes
        ),
    )
    yield Grid(
        title="Checks",
        about="Where one fails, readers go on seeing the run before, unless somebody says otherwise.",
        headings=("check", "verdict", "measured", "limit", "what"),
        rows=tuple((each.check, _cells(each)) for each in night.verdicts),
    )


def _cells(verdict: Verdict) -> tuple[Cell, ...]:
    passed = Cell("passed", role="better") if verdict.passed else Cell("FAILED", role="worse")
    return passed, Cell(f"{verdict.measured:.4g}"), Cell(f"{verdict.limit:.4g}"), Cell(verdict.reason)
