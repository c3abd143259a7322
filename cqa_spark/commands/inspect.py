"""``cqa inspect``: the contents of a run's tables, or the changes since another run."""

from __future__ import annotations

from cqa_spark.config.inspect_settings import InspectSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot, snapshot_of
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.locations import write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports import kinds
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections.comparison import ComparedRuns, table_changes
from cqa_spark.reports.sections.inspection.facts import InspectedRun
from cqa_spark.runtime.provenance import code_version
from cqa_spark.runtime.workspace import read_lake

COMMUNITY = (POSTS, USERS, COMMENTS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)


def inspect(settings: InspectSettings) -> None:
    """Show the contents of a run's tables, or the changes from one run to another.

    Raises:
        InputError: nothing is published, no such run has succeeded, or it wrote no table to show.
    """
    report = _report(settings)
    if settings.format == "json":
        print(report.json())
    else:
        report.show(Terminal())
    if settings.page:
        write_file(settings.page, page_bytes(report.page()), settings.object_storage)
        # To stderr, because programs may parse stdout.
        Terminal(stderr=True).line(f"page: {settings.page}")


def _report(settings: InspectSettings) -> ReportValues:
    lake = read_lake(settings)
    if settings.compares:
        return kinds.COMPARISON.collect(compare(lake, settings.diff, settings.run_id))
    return kinds.INSPECTION.collect(inspected_run(snapshot_of(lake, settings.run_id)))


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


def compare(lake: Lake, runs: tuple[str, ...], default: str | None) -> ComparedRuns:
    """Compare the tables of two runs.

    Args:
        lake: holds both.
        runs: the earlier run, and optionally the later one.
        default: the later run if ``runs`` names one only; None for the published one.
    """
    before = snapshot_of(lake, runs[0])
    after = snapshot_of(lake, runs[1] if len(runs) > 1 else default)
    pairs = {t: (before.read(t), after.read(t)) for t in COMMUNITY if before.has(t) and after.has(t)}
    return ComparedRuns(
        lake=lake.root,
        code_version=code_version(),
        before=before.record.run_id,
        after=after.record.run_id,
        tables=table_changes(pairs),
        only_before=tuple(t.name for t in COMMUNITY if before.has(t) and not after.has(t)),
        only_after=tuple(t.name for t in COMMUNITY if after.has(t) and not before.has(t)),
    )
