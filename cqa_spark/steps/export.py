"""The published rankings → files for those who serve them, and a manifest that names them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.folders import EXPORTS
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.plain_parquet import write_plain_parquet
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.steps.publish import leased

MANIFEST = f"{EXPORTS}/current.json"
PARQUET, JSON_LINES = "parquet", "json"


@dataclass(frozen=True)
class Export(Step):
    """Write the published rankings for those who serve them.

    Attributes:
        system: the system whose rankings are served.
    """

    system: str

    name = "export"
    delivers = True

    def reads(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Export what is published."""
        export_rankings(leased(run), published_snapshot(run.lake), self.system)


def export_rankings(lake: LeasedLake, published: Snapshot, system: str) -> str:
    """Write the rankings of the published run, by site, and swap the manifest; give the manifest's path.

    Files of earlier runs stay, for readers that have them open, until garbage is collected.

    Args:
        lake: held by this process.
        published: what readers see.
        system: the system whose rankings are served.

    Raises:
        AnotherWriter: this process holds the lake no more.
    """
    record = published.record
    folder = lake.path(EXPORTS, record.run_id, str(record.sequence))
    served = published.read(RANKINGS).where(F.col("system") == system).drop("run_id", "system", "split")
    # Large sites go to several files, by several tasks; a query's candidates to one.
    by_query = ["site", "task", "query_id"]
    rows = served.repartitionByRange(*by_query).sortWithinPartitions(*by_query, "rank")

    def export(kind: str) -> list[dict[str, object]]:
        if kind == PARQUET:
            write_plain_parquet(rows, f"{folder}/{kind}", lake.storage, partition_by=["site"])
        else:
            rows.write.mode("overwrite").partitionBy("site").json(f"{folder}/{kind}")
        return _described(lake, f"{folder}/{kind}", kind)

    files = [each for exported in run_concurrently(export, (PARQUET, JSON_LINES)) for each in exported]
    manifest = {
        "run_id": record.run_id,
        "published_at": record.recorded_at.isoformat(),
        "system": system,
        "files": files,
    }
    lake.lease.renew()
    lake.objects.put(MANIFEST, json.dumps(manifest, indent=2).encode())
    return lake.path(MANIFEST)


def _described(lake: LeasedLake, folder: str, kind: str) -> list[dict[str, object]]:
    """Path within the lake, site, rows, bytes and checksum of every file of a folder."""
    spark = lake.spark
    binary = spark.read.format("binaryFile").option("recursiveFileLookup", True).option("pathGlobFilter", "part-*")
    sums = binary.load(folder).select(
        _within_lake("path").alias("path"), F.col("length").alias("bytes"), F.sha2("content", 256).alias("sha256")
    )
    rows: DataFrame = spark.read.parquet(folder) if kind == PARQUET else spark.read.text(folder)
    counts = rows.groupBy(_within_lake("_metadata.file_path").alias("path"), "site").agg(F.count("*").alias("rows"))
    described = counts.join(sums, on="path").orderBy("path")
    return [{"format": kind, **row.asDict()} for row in described.collect()]


def _within_lake(path: str) -> Column:
    """A file's path from the lake's root on."""
    return F.concat(F.lit(f"{EXPORTS}/"), F.substring_index(F.col(path), f"/{EXPORTS}/", -1))
