"""The rankings of a run by one system → files for serving, and a manifest that names them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import yaml
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.config.nightly_settings import ExportFormat
from cqa_spark.errors import ContractError, InputError
from cqa_spark.examples.task import TASKS, task
from cqa_spark.lake.plain_files import write_plain_files
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore
from cqa_spark.steps.attribution import ATTRIBUTION, attributions

MANIFEST = "manifest.json"

_SPARK_FORMATS = {"parquet": "parquet", "jsonl": "json", "csv": "csv"}

_ROWS_WITHOUT_VALUES = {
    "parquet": ("parquet", "site string", {}),
    "jsonl": ("text", "value string, site string", {}),
    "csv": ("csv", "query_id string, site string", {"header": True}),
}
"""How Spark counts the rows of a format: source, schema and options; inference would turn the site 007 into 7."""


@dataclass(frozen=True)
class ExportedFile:
    """One file of an export.

    Attributes:
        path: relative to the export's folder, as in the file system or the bucket.
        site: site of its rankings.
        rows: number of rows.
        bytes: its size.
        sha256: hash of its bytes, hexadecimal.
    """

    path: str
    site: str
    rows: int
    bytes: int
    sha256: str


def export_rankings(
    snapshot: Snapshot, system: str, folder: str, file_format: ExportFormat, *, alone: bool = False
) -> str:
    """Write the rankings that a night serves, with a system or a simple order; outside nights, the system's.

    They are written one folder per site, then the manifest; return the manifest's path.

    Each export writes a folder of its own below ``folder``. The manifest is replaced atomically when the files hold all
    rows. The files that the replaced manifest named stay, for readers that have them open, until the next export.

    Args:
        snapshot: the tables of the run.
        system: the system of the run, which the manifest names; a row names the one whose order it is.
        folder: output folder, local or in a bucket.
        file_format: of the files.
        alone: write all rankings of the system, served or not, and no others.

    Raises:
        InputError: the run has rankings, but none of these.
        ContractError: rows are missing from the files; the manifest is unchanged.
    """
    record, storage = snapshot.record, snapshot.lake.storage
    rankings = snapshot.read(RANKINGS)
    of_system = F.col("system") == system
    chosen = of_system if alone else F.coalesce("served", of_system)
    served_rows = _rows_by_site(snapshot, system, chosen)
    of_export = f"{record.run_id}-{uuid4().hex[:8]}"
    served = _with_posts(snapshot, rankings.where(chosen).drop("run_id", "split", "served"))
    # Several tasks write large sites to several files; a query's candidates are in one file.
    by_query = ["site", "task", "query_id"]
    rows = served.repartitionByRange(*by_query).sortWithinPartitions(*by_query, "rank")
    write_plain_files(
        rows,
        f"{folder}/{of_export}",
        storage,
        file_format=_SPARK_FORMATS[file_format],
        partition_by=["site"],
        options={"header": True} if file_format == "csv" else {},
    )
    files = sorted(_files(rows.sparkSession, folder, of_export, file_format), key=lambda file: file.path)
    require_every_row(files, served_rows, record.run_id)
    objects = open_store(folder, storage)
    replaced = _manifest(objects)
    manifest = {
        "run_id": record.run_id,
        "recorded_at": record.recorded_at.isoformat(),
        "system": system,
        "format": file_format,
        "folder": of_export,
        "replaced_folder": replaced.get("folder"),
        "files": [asdict(file) for file in files],
    }
    objects.put(MANIFEST, json.dumps(manifest, indent=2).encode())
    if unused := replaced.get("replaced_folder"):
        for key in list(objects.keys(f"{unused}/")):
            objects.delete(key)
    return f"{folder}/{MANIFEST}"


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


def _files(spark: SparkSession, folder: str, of_export: str, file_format: ExportFormat) -> Iterator[ExportedFile]:
    """Describe the files with rows, which tasks read once more."""
    # Spark's APIs report either paths or URIs; the URI is the same for all sources.
    uri = F.col("_metadata.file_path").alias("uri")
    source, schema, options = _ROWS_WITHOUT_VALUES[file_format]
    rows = spark.read.schema(schema).options(**options).format(source).load(f"{folder}/{of_export}")
    counts = rows.groupBy(uri, "site").agg(F.count(F.lit(1)).alias("rows"))
    binary = spark.read.format("binaryFile").option("recursiveFileLookup", True).option("pathGlobFilter", "part-*")
    content = binary.load(f"{folder}/{of_export}").select(uri, "length", F.sha2("content", 256).alias("sha256"))
    for row in counts.join(content, on="uri", how="inner").collect():
        # Decoded once: Spark itself encodes the names of folders.
        within = unquote(row.uri).rpartition(f"/{of_export}/")[2]
        yield ExportedFile(f"{of_export}/{within}", row.site, row.rows, row.length, row.sha256)


def _manifest(objects: ObjectStore) -> dict[str, Any]:
    """The manifest of the previous export; empty before the first one."""
    stored = objects.read(MANIFEST)
    return dict(json.loads(stored.data)) if stored is not None else {}
