"""``cqa inspect`` and ``runs trend``: reports in the terminal, as JSON, and as a page."""

from cqa_spark.errors import InputError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot, published_runs, snapshot_of
from cqa_spark.lake.table import Table
from cqa_spark.object_store.locations import write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports import kinds
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections.inspection.facts import InspectedRun
from cqa_spark.reports.sections.trend import Trend, points_of
from cqa_spark.runtime.workspace import code_version, read_lake
from cqa_spark.settings.inspection import InspectSettings
from cqa_spark.settings.runs import TrendSettings
from cqa_spark.settings.sections import ShownReportSettings
from cqa_spark.settings.suggestions import known_names

COMMUNITY: tuple[Table, ...] = (POSTS, USERS, COMMENTS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)


def show_report(report: ReportValues, settings: ShownReportSettings) -> None:
    """Print a report in the format of the settings, and write the page that they name."""
    if settings.format == "json":
        print(report.json())
    else:
        report.show(Terminal())
    if settings.page:
        write_file(settings.page, page_bytes(report.page()), settings.object_storage)
        # To stderr, because programs may parse stdout.
        Terminal(stderr=True).line(f"page: {settings.page}")


def inspect(settings: InspectSettings) -> None:
    """Show the contents of a run's tables.

    Raises:
        InputError: nothing is published, no such run has succeeded, or it wrote no table to show.
    """
    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    show_report(kinds.INSPECTION.collect(inspected_run(snapshot)), settings)


def inspected_run(snapshot: Snapshot) -> InspectedRun:
    """The tables of a run that an inspection reads.

    Raises:
        InputError: the run wrote none of them.
    """
    community = snapshot.present(COMMUNITY)
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


def trend(settings: TrendSettings) -> None:
    """Show a measure over the published runs of a lake, those whose files were deleted included.

    Raises:
        InputError: no published run has a score, or none has this measure of this system.
    """
    lake = read_lake(settings)
    records = _with_scores(lake)
    if not records:
        raise InputError(f"no published run of {lake.root} has a score", "publish a run: cqa run or cqa nightly")
    main = records[-1].scores[0]
    wanted = (settings.system or main.system, settings.measure or main.measure)
    points = points_of(records, *wanted)
    if not points:
        pairs = dict.fromkeys(f"{score.measure} of {score.system}" for record in records for score in record.scores)
        system, measure = wanted
        raise InputError(
            f"no published run of {lake.root} has the measure {measure} of {system}",
            known_names(f"{measure} of {system}", pairs, "scores"),
        )
    report = kinds.TREND.collect(Trend(lake.root, code_version(), *wanted, points))
    show_report(report, settings)


def _with_scores(lake: Lake) -> list[RunRecord]:
    """The newest publication of each run that has scores, in the order of the ends of the runs."""
    records = [*RunLog(lake.objects).records(status="published"), *published_runs(lake)]
    by_run = {record.run_id: record for record in records if record.scores}
    return sorted(by_run.values(), key=lambda record: record.ended_at or record.recorded_at)
