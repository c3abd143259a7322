"""Collects the content of an inspection from the tables of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame, Row

from cqa_spark.lake.run_record import RunRecord
from cqa_spark.reports.inspection.accounting import collect as accounting
from cqa_spark.reports.inspection.content import Inspection, RunShown
from cqa_spark.reports.inspection.posts import collect as posts
from cqa_spark.reports.inspection.site import SiteRows, site_facts
from cqa_spark.reports.inspection.tables import collect as tables

BySite = dict[str, list[Row]]


def run_shown(record: RunRecord, lake: str) -> RunShown:
    """The inspected run, from its record in the run log."""
    return RunShown(lake, record.run_id, record.recorded_at, record.code_version)


def collect_inspection(
    run: RunShown, community: Mapping[str, DataFrame], account: Mapping[str, DataFrame]
) -> Inspection:
    """Collect the content of an inspection; a bounded number of rows per site reaches the driver.

    Args:
        run: the inspected run.
        community: the community tables (posts, users, votes, …) that the run wrote, by name, in display order; at
            least one.
        account: those of quarantine, orphans and ingested_files that the run wrote, by name.
    """
    files, quarantine = account.get("ingested_files"), account.get("quarantine")
    gathered: dict[str, BySite] = {
        "summaries": tables.collect_tables(community),
        "drift": tables.collect_drift(community),
        "scores": _if_present(posts.collect_scores, community.get("posts")),
        "months": _if_present(posts.collect_months, community.get("posts")),
        "tags": _if_present(posts.collect_tags, community.get("posts")),
        "quarantined": _if_present(partial(accounting.collect_quarantined, ingested_files=files), quarantine),
        "refusals": _if_present(accounting.collect_refusals, quarantine),
        "orphans": _if_present(accounting.collect_orphans, account.get("orphans")),
        "file_totals": _if_present(accounting.collect_file_totals, files),
        "files": _if_present(accounting.collect_files, files),
    }
    names = set().union(*[by_site.keys() for by_site in gathered.values()])
    sites = [site_facts(name, _of_site(name, gathered), list(community)) for name in names]
    return Inspection(run, tuple(sorted(sites, key=lambda site: (-site.rows, site.site))))


def _if_present(collect: Callable[[DataFrame], BySite], table: DataFrame | None) -> BySite:
    return {} if table is None else collect(table)


def _of_site(site: str, gathered: Mapping[str, Mapping[str, Sequence[Row]]]) -> SiteRows:
    return SiteRows(**{name: by_site.get(site, []) for name, by_site in gathered.items()})
