"""What changed since the published run, and the checks before publishing."""

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.checks.check import Verdict
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.reports.kit.blocks import Block, Cell, Heading, Table, count_cells
from cqa_spark.reports.kit.wording import significant
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


def blocks(night: NightReview) -> list[Block]:
    """The tables of changes and checks that have rows."""
    changes = Table(
        title="Changes",
        about="Tables of sites whose dump changed since the published run.",
        headings=("table", "site", "rows before", "rows"),
        rows=[
            (entry["table_name"], (Cell(entry["site"]), *count_cells(entry["rows_before"], entry["rows"])))
            for entry in night.changes
        ],
        texts=("site",),
    )
    checks = Table(
        title="Checks",
        about="If a check fails, the previous run stays published unless the failure is overridden.",
        headings=("check", "verdict", "measured", "limit", "description"),
        rows=[(verdict.check, _cells(verdict)) for verdict in night.verdicts],
        texts=("verdict", "description"),
    )
    return [Heading("Checks before publishing", 2), *(table for table in (changes, checks) if table.rows)]


def _cells(verdict: Verdict) -> tuple[Cell, ...]:
    passed = Cell("passed", role="better") if verdict.passed else Cell("FAILED", role="worse")
    return passed, Cell(significant(verdict.measured)), Cell(significant(verdict.limit)), Cell(verdict.reason)


SECTION = Section("night", "Checks", data, blocks, products=(CHECKS,), optional=(CHANGES,))
