"""``cqa inspect``: the contents of a lake, in the terminal, as JSON, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import ReadRunId, ShownReportSettings

if TYPE_CHECKING:
    from cqa_spark.lake.snapshot import Snapshot
    from cqa_spark.lake.table import Table
    from cqa_spark.reports.section import ReportValues
    from cqa_spark.reports.sections.inspection.facts import InspectedRun


class InspectSettings(ShownReportSettings):
    """Show the contents of a lake: rows, quarantined records, dangling references, and statistics of every site."""

    examples = (
        "cqa inspect --lake build/lake",
        "cqa inspect --lake build/lake --run-id mine --page mine.html",
        "cqa inspect --lake build/lake --format json > lake.json",
    )
    reading = ("{job.lake}: tables of run {job.published_run}",)

    run_id: ReadRunId = None


def inspect(settings: InspectSettings) -> None:
    """Show the contents of a run's tables.

    Raises:
        InputError: nothing is published, no such run has succeeded, or it wrote no table to show.
    """
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.reports import kinds
    from cqa_spark.runtime.workspace import read_lake

    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    show_report(kinds.INSPECTION.collect(inspected_run(snapshot)), settings)


def inspected_run(snapshot: Snapshot) -> InspectedRun:
    """The tables of a run that an inspection reads.

    Raises:
        InputError: the run wrote none of them.
    """
    from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
    from cqa_spark.reports.sections.inspection.facts import InspectedRun

    community = snapshot.present(community_tables())
    if not community:
        raise InputError(
            f"run {snapshot.record.run_id} has no tables to show",
            "choose a run that read dumps; cqa runs show lists the tables of a run",
        )
    return InspectedRun(
        snapshot.lake.root,
        snapshot.record,
        community,
        snapshot.read(QUARANTINE) if snapshot.has(QUARANTINE) else None,
        snapshot.entries_or_none(ORPHANS),
        snapshot.entries_or_none(INGESTED_FILES),
    )


def show_report(report: ReportValues, settings: ShownReportSettings) -> None:
    """Print a report in the format of the settings, and write the page that they name."""
    from cqa_spark.object_store.locations import write_file
    from cqa_spark.reports.kit.page import page_bytes

    if settings.format == "json":
        print(report.json())
    else:
        report.show(Terminal())
    if settings.page:
        write_file(settings.page, page_bytes(report.page()), settings.object_storage)
        # To stderr, because programs may parse stdout.
        Terminal(stderr=True).line(f"page: {settings.page}")


def community_tables() -> tuple[Table, ...]:
    """The tables that people know a community by, in the order of the page."""
    from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
    from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS

    return (POSTS, USERS, COMMENTS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)


JOBS = (Job("inspect", "show the contents of a lake", "inspection", InspectSettings, inspect),)
