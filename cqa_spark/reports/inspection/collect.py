"""Collects the content of an inspection from the tables of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.reports.inspection.accounting import collect as accounting
from cqa_spark.reports.inspection.content import Inspection, RunShown
from cqa_spark.reports.inspection.posts import collect as posts
from cqa_spark.reports.inspection.site import SiteRows, site_facts
from cqa_spark.reports.inspection.tables import collect as tables


def run_shown(record: RunRecord, lake: str) -> RunShown:
    """The inspected run, from its record in the run log."""
    return RunShown(lake, record.run_id, record.recorded_at, record.code_version)


def collect_inspection(
    run: RunShown,
    community: Mapping[str, DataFrame],
    quarantine: DataFrame | None,
    orphans: Sequence[Entry],
    files: Sequence[Entry],
) -> Inspection:
    """Collect the content of an inspection; a bounded number of rows per site reaches the driver.

    Args:
        run: the inspected run.
        community: the community tables (posts, users, votes, …) that the run wrote, by name, in display order; at
            least one.
        quarantine: the table ``quarantine``; None if the run did not write it.
        orphans: entries of ``ORPHANS``.
        files: entries of ``INGESTED_FILES``.
    """
    counted_posts = community.get("posts")
    found: dict[str, Mapping[str, Any]] = {
        "summaries": tables.collect_tables(community),
        "drift": tables.collect_drift(community),
        "orphans": accounting.orphans_by_site(orphans),
        "files": accounting.files_by_site(files),
    }
    if counted_posts is not None:
        found["scores"] = posts.collect_scores(counted_posts)
        found["months"] = posts.collect_months(counted_posts)
        found["tags"] = posts.collect_tags(counted_posts)
    if quarantine is not None:
        found["quarantined"] = accounting.collect_quarantined(quarantine, files)
        found["refusals"] = accounting.collect_refusals(quarantine)
    names = set().union(*found.values())
    sites = [site_facts(name, _of_site(name, found), list(community)) for name in names]
    return Inspection(run, tuple(sorted(sites, key=lambda site: (-site.rows, site.site))))


def _of_site(site: str, found: Mapping[str, Mapping[str, Any]]) -> SiteRows:
    return SiteRows(**{name: by_site[site] for name, by_site in found.items() if site in by_site})
