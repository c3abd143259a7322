"""The whole content of an inspection, from the tables of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame, Row

from cqa_spark.lake.run_record import RunRecord
from cqa_spark.reports.inspection.collect import accounting, posts, tables
from cqa_spark.reports.inspection.collect.site import SiteRows, site_facts
from cqa_spark.reports.inspection.content import Inspection, RunShown

BySite = dict[str, list[Row]]


def run_shown(record: RunRecord, lake: str) -> RunShown:
    """The facts of a run from its record in the log of runs."""
    return RunShown(lake, record.run_id, record.recorded_at, record.code_version)


def collect_inspection(
    run: RunShown, community: Mapping[str, DataFrame], account: Mapping[str, DataFrame]
) -> Inspection:
    """Gather what an inspection shows.

    Args:
        run: the run that is looked at.
        community: the tables of posts, users, votes, … that the run wrote, by name; at least one. They are shown in
            this order.
        account: quarantine, orphans and ingested_files, by name; those that the run wrote.
    """
    files, quarantine = account.get("ingested_files"), account.get("quarantine")
    gathered: dict[str, BySite] = {
        "summaries": tables.collect_tables(community),
        "drift": tables.collect_drift(community),
        "scores": _where_there(posts.collect_scores, community.get("posts")),
        "months": _where_there(posts.collect_months, community.get("posts")),
        "tags": _where_there(posts.collect_tags, community.get("posts")),
        "quarantined": _where_there(partial(accounting.collect_quarantined, ingested_files=files), quarantine),
        "refusals": _where_there(accounting.collect_refusals, quarantine),
        "orphans": _where_there(accounting.collect_orphans, account.get("orphans")),
        "file_totals": _where_there(accounting.collect_file_totals, files),
        "files": _where_there(accounting.collect_files, files),
    }
    names = set().union(*[by_site.keys() for by_site in gathered.values()])
    sites = [site_facts(name, _of_site(name, gathered), list(community)) for name in names]
    return Inspection(run, tuple(sorted(sites, key=lambda site: (-site.rows, site.site))))


def _where_there(collect: Callable[[DataFrame], BySite], table: DataFrame | None) -> BySite:
    return {} if table is None else collect(table)


def _of_site(site: str, gathered: Mapping[str, Mapping[str, Sequence[Row]]]) -> SiteRows:
    return SiteRows(**{name: by_site.get(site, []) for name, by_site in gathered.items()})
