"""What changed since the published run, and the checks before publishing."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cqa_spark.checks.check import Verdict
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.page import grid_table, section
from cqa_spark.reports.kit.tables import Cell, Grid, print_grids
from cqa_spark.reports.kit.wording import count, significant
from cqa_spark.reports.reported_run import ReportedRun, from_entry
from cqa_spark.reports.section import Section


@dataclass(frozen=True)
class NightReview:
    """The changes (entries of ``CHANGES``) and checks of a night; no changes if nothing was published before."""

    changes: Sequence[Entry]
    verdicts: tuple[Verdict, ...]


def data(run: ReportedRun) -> NightReview:
    """Changes by site and table, and verdicts in the order of the checks."""
    verdicts = tuple(from_entry(Verdict, entry) for entry in run.entries("checks"))
    return NightReview(run.entries("changes"), verdicts)


def page(night: NightReview) -> Markup:
    """The tables of changes and checks."""
    return section("night", "Checks before publishing", map(grid_table, tables(night)))


def console(night: NightReview, terminal: Terminal) -> None:
    """Print the tables of changes and checks."""
    print_grids(tables(night), terminal)


def tables(night: NightReview) -> tuple[Grid, ...]:
    """The tables that have rows."""
    changes = Grid(
        title="Changes",
        about="Tables of sites whose dump changed since the published run.",
        headings=("table", "site", "rows before", "rows"),
        rows=tuple(
            (
                change["table_name"],
                (Cell(change["site"]), *(Cell(count(change[name])) for name in ("rows_before", "rows"))),
            )
            for change in night.changes
        ),
        texts=("site",),
    )
    checks = Grid(
        title="Checks",
        about="If a check fails, the previous run stays published unless the failure is overridden.",
        headings=("check", "verdict", "measured", "limit", "description"),
        rows=tuple((verdict.check, _cells(verdict)) for verdict in night.verdicts),
        texts=("verdict", "description"),
    )
    return tuple(grid for grid in (changes, checks) if grid.rows)


def _cells(verdict: Verdict) -> tuple[Cell, ...]:
    passed = Cell("passed", role="better") if verdict.passed else Cell("FAILED", role="worse")
    return passed, Cell(significant(verdict.measured)), Cell(significant(verdict.limit)), Cell(verdict.reason)


SECTION = Section("night", "Checks", data, page, console, products=(CHECKS,), optional=(CHANGES,))
