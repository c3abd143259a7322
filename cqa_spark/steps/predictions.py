"""rankings → the official prediction file."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.evaluation.official_files import OfficialRow, write_official
from cqa_spark.object_store.locations import local_target


def write_predictions(rankings: DataFrame, path: str, storage: ObjectStorageSettings) -> None:
    """Write one system's ranking in the official format, ordered by query and candidate as in the official files.

    Rows come to the driver one partition at a time: the file may be larger than its memory.

    Args:
        rankings: rows of ``RANKINGS``, of one system.
        path: file to write, local or in a bucket.
        storage: how the bucket is reached.
    """
    ordered = rankings.orderBy(_numbers("query_id"), "query_id", _numbers("candidate_id"), "candidate_id")
    rows = ordered.select("query_id", "candidate_id", "score", "predicted").toLocalIterator()
    with local_target(path, storage) as file:
        write_official(file, (OfficialRow(r["query_id"], r["candidate_id"], r["score"], r["predicted"]) for r in rows))
    print(f"predictions: {path}")


def _numbers(identifier: str) -> Column:
    """The numbers in an id, so that Q9_R10 comes before Q10_R2."""
    return F.regexp_extract_all(identifier, F.lit(r"(\d+)")).cast("array<bigint>")
