"""``cqa inspect``: the contents of a run's tables, or the changes since another run."""

from __future__ import annotations

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.settings import InspectSettings
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import Snapshot, snapshot_of
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.locations import write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.comparison.as_json import comparison_json
from cqa_spark.reports.comparison.collect import table_changes
from cqa_spark.reports.comparison.console import print_comparison
from cqa_spark.reports.comparison.content import Comparison
from cqa_spark.reports.comparison.page import render_comparison
from cqa_spark.reports.inspection.as_json import inspection_json
from cqa_spark.reports.inspection.collect import collect_inspection, run_shown
from cqa_spark.reports.inspection.console import print_inspection
from cqa_spark.reports.inspection.content import Inspection
from cqa_spark.reports.inspection.page import render_inspection
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.runtime.provenance import code_version
from cqa_spark.runtime.workspace import read_lake

COMMUNITY = (POSTS, USERS, COMMENTS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)


def inspect(settings: InspectSettings) -> None:
    """Show the contents of a run's tables, or the changes from one run to another.

    Raises:
        InputError: nothing is published, no such run has succeeded, or it wrote no table to show.
    """
    lake = read_lake(settings)
    if settings.compares:
        _show_comparison(compare(lake, settings.diff, settings.run_id), settings)
    else:
        _show_inspection(look_at(snapshot_of(lake, settings.run_id)), settings)


def look_at(snapshot: Snapshot) -> Inspection:
    """Collect the contents of a run's tables.

    Raises:
        InputError: the run wrote none of them.
    """
    community = snapshot.present(COMMUNITY)
    if not community:
        raise InputError(
            f"run {snapshot.record.run_id} has no tables to show",
            "choose a run that read dumps; cqa runs show lists the tables of a run",
        )
    return collect_inspection(
        run_shown(snapshot.record, snapshot.lake.root),
        community,
        snapshot.read(QUARANTINE) if snapshot.has(QUARANTINE) else None,
        snapshot.entries_or_none(ORPHANS),
        snapshot.entries_or_none(INGESTED_FILES),
    )


def compare(lake: Lake, runs: tuple[str, ...], looked_at: str | None) -> Comparison:
    """Compare the tables of two runs.

    Args:
        lake: holds both.
        runs: the earlier run, and optionally the later one.
        looked_at: the later run if ``runs`` names one only; None for the published one.
    """
    before = snapshot_of(lake, runs[0])
    after = snapshot_of(lake, runs[1] if len(runs) > 1 else looked_at)
    pairs = {t: (before.read(t), after.read(t)) for t in COMMUNITY if before.has(t) and after.has(t)}
    return Comparison(
        before=before.record.run_id,
        after=after.record.run_id,
        tables=table_changes(pairs),
        only_before=tuple(t.name for t in COMMUNITY if before.has(t) and not after.has(t)),
        only_after=tuple(t.name for t in COMMUNITY if after.has(t) and not before.has(t)),
    )


def _show_inspection(inspection: Inspection, settings: InspectSettings) -> None:
    if settings.format == "json":
        print(inspection_json(inspection))
    else:
        print_inspection(inspection, Terminal())
    if settings.page:
        _write(settings.page, render_inspection(inspection), settings.object_storage)


def _show_comparison(comparison: Comparison, settings: InspectSettings) -> None:
    if settings.format == "json":
        print(comparison_json(comparison))
    else:
        print_comparison(comparison, Terminal())
    if settings.page:
        page = render_comparison(comparison, settings.lake, code_version())
        _write(settings.page, page, settings.object_storage)


def _write(path: str, page: str, storage: ObjectStorageSettings) -> None:
    """Write the page, and print its path to stderr, because programs may parse stdout."""
    write_file(path, page_bytes(page), storage)
    Terminal(stderr=True).line(f"page: {path}")
