"""The rankings of a run by one system → files for serving, and a manifest that names them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from uuid import uuid4

import yaml
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.nightly_settings import ExportFormat
from cqa_spark.errors import ContractError, CqaError, InputError
from cqa_spark.examples.task import TASKS, task
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.object_store.locations import require_writable
from cqa_spark.steps.attribution import ATTRIBUTION, attributions
from cqa_spark.steps.export_manifest import MANIFEST, ExportedFile, ExportManifest, ExportTarget
from cqa_spark.steps.ranking_files import write_ranking_files


def export_rankings(
    snapshot: Snapshot,
    system: str,
    folder: str,
    target: ExportTarget,
    file_format: ExportFormat,
    *,
    publication: int,
    alone: bool = False,
) -> None:
    """Write the rankings that a night serves, with a system or a simple order; outside nights, the system's.

    Each export writes a folder of its own below ``folder``, with one folder per site. The manifest is replaced
    atomically when the files hold all rows. The files that the replaced manifest named stay, for readers that have them
    open, until the next export.

    Args:
        snapshot: the tables of the run.
        system: the system of the run, which the manifest names; a row names the one whose order it is.
        folder: output folder, local or in a bucket.
        target: the same folder, opened before the run was read.
        file_format: of the files.
        publication: number of the run's publication in the run log.
        alone: write all rankings of the system, served or not, and no others.

    Raises:
        InputError: the run has rankings, but none of these.
        EnvironmentProblem: the folder cannot be written.
        ContractError: rows are missing from the files; the manifest is unchanged.
        AnotherWriter: an export of a later publication was faster; its manifest stays.
    """
    record, storage = snapshot.record, snapshot.lake.storage
    rankings = snapshot.read(RANKINGS)
    of_system = F.col("system") == system
    chosen = of_system if alone else F.coalesce("served", of_system)
    served_rows = _rows_by_site(snapshot, system, chosen)
    require_writable(folder, storage)
    of_export = f"{record.run_id}-{uuid4().hex[:8]}"
    served = _with_posts(snapshot, rankings.where(chosen).drop("run_id", "split", "served"))
    # Several tasks write large sites to several files; a query's candidates are in one file.
    by_query = ["site", "task", "query_id"]
    rows = served.repartitionByRange(*by_query).sortWithinPartitions(*by_query, "rank")
    try:
        files = write_ranking_files(rows, folder, of_export, storage, file_format)
        target.delete(of_export, but=frozenset(file.path for file in files))  # files of repeated tasks
        require_every_row(files, served_rows, record.run_id)
    except BaseException:
        with suppress(CqaError):
            target.delete(of_export)
        raise
    target.replace(
        ExportManifest(
            run_id=record.run_id,
            publication=publication,
            recorded_at=record.recorded_at.isoformat(),
            system=system,
            format=file_format,
            folder=of_export,
            files=tuple(files),
        )
    )


def served_system(snapshot: Snapshot) -> str:
    """The system named in the settings of a run, or else the only one with rankings.

    Raises:
        InputError: the settings name none, and the run has rankings of none or several.
    """
    settings = yaml.safe_load(snapshot.record.config) or {}
    if settings.get("system"):
        return str(settings["system"])
    ranked = sorted(row["system"] for row in snapshot.read(RANKINGS).select("system").distinct().collect())
    if len(ranked) != 1:
        raise InputError(
            f"{len(ranked)} systems rank in run {snapshot.record.run_id}; its settings do not name one",
            f"name one: --system, of {', '.join(ranked)}" if ranked else "name a run with rankings",
        )
    return str(ranked[0])


def require_every_row(files: Iterable[ExportedFile], served: Mapping[str, int], run_id: str) -> None:
    """Check that the files contain all served rows of each site.

    Args:
        files: of an export.
        served: number of served rows, by site.
        run_id: the run.

    Raises:
        ContractError: they do not; names the first site that differs.
    """
    exported: Counter[str] = Counter()
    for file in files:
        exported[file.site] += file.rows
    for site in sorted(served.keys() | exported.keys()):
        if exported[site] != served.get(site, 0):
            raise ContractError(
                f"the export of run {run_id} is incomplete: {exported[site]} of {served.get(site, 0)} rows of site "
                f"{site!r}",
                f"run cqa export again; until then {MANIFEST} names the previous files",
            )


def _rows_by_site(snapshot: Snapshot, system: str, chosen: Column) -> dict[str, int]:
    """The number of chosen rows, by site.

    Raises:
        InputError: the run has rankings, but none of these.
    """
    counts = snapshot.read(RANKINGS).groupBy("system", "site").agg(F.count_if(chosen).alias("rows")).collect()
    ranked = sorted({row["system"] for row in counts})
    found: Counter[str] = Counter()
    for row in counts:
        found[row["site"]] += row["rows"]
    if ranked and not found.total():
        raise InputError(
            f"run {snapshot.record.run_id} has no rankings by {system}", f"name one: --system, of {', '.join(ranked)}"
        )
    return {site: rows for site, rows in found.items() if rows}


def _with_posts(snapshot: Snapshot, rankings: DataFrame) -> DataFrame:
    """The rankings with the title of the query, and the attribution of title and candidate; null where unknown."""
    tasks = [task(name) for name in TASKS.names()]
    known = [F.when(F.col("task") == each.name, F.expr(each.address)) for each in tasks if each.address]
    addressed = rankings.withColumn("address", F.coalesce(*known))
    signature = ["author", "licence", "title", "title_author", "title_address", "title_licence"]
    if not snapshot.has(POSTS):
        return addressed.withColumns({name: F.lit(None).cast("string") for name in signature})
    attributed = attributions(snapshot)
    asked = snapshot.read(POSTS).where("subject IS NOT NULL")
    titles = asked.select("site", F.col("post_id").alias("query_id"), F.col("subject").alias("title"))
    of_titles = attributed.select(
        "site",
        F.col("document_id").alias("query_id"),
        *(F.col(name).alias(f"title_{name}") for name in ATTRIBUTION.names),
    )
    of_candidates = attributed.select("site", F.col("document_id").alias("candidate_id"), "author", "licence")
    signed = addressed.join(of_candidates, on=["site", "candidate_id"], how="left")
    return signed.join(titles.join(of_titles, on=["site", "query_id"], how="left"), on=["site", "query_id"], how="left")
