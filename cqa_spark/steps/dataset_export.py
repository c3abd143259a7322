"""The examples, texts and rankings of a run → a data set of Parquet files with a dataset card."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.plain_files import write_plain_files
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.object_store.locations import write_file
from cqa_spark.steps.dataset_card import CARD, dataset_card

TEXT = "text"
SPLIT = "split"
"""Partition column of the files: data-set loaders select splits by folder."""


def write_dataset(snapshot: Snapshot, folder: str) -> dict[str, dict[str, int]]:
    """Write ``TABLE/split=SPLIT/*.parquet`` and the card, ``README.md``; earlier ones in the folder are replaced.

    Args:
        snapshot: the tables of the run.
        folder: output folder, local or in a bucket.

    Returns:
        The number of rows by table and split.
    """
    frames = _frames(snapshot)
    storage = snapshot.lake.storage
    for name, frame in frames.items():
        write_plain_files(frame, f"{folder}/{name}", storage, partition_by=[SPLIT])
    rows = {name: _rows_by_split(frame) for name, frame in frames.items()}
    card = dataset_card(snapshot.record, {name: _described(frame) for name, frame in frames.items()}, rows)
    write_file(f"{folder}/{CARD}", card.encode(), storage)
    return rows


def _frames(snapshot: Snapshot) -> Mapping[str, DataFrame]:
    """The tables of the data set that the run has; a text has the splits of all posts and comments that contain it."""
    found = {table.name: snapshot.read(table) for table in (EXAMPLES, RANKINGS) if snapshot.has(table)}
    if snapshot.has(DOCUMENTS) and snapshot.has(TEXTS):
        texts = snapshot.read(TEXTS).select("text_id", F.col("raw").alias(TEXT))
        documents = snapshot.read(DOCUMENTS).select("site", "document_id", "text_id", SPLIT)
        found[TEXTS.name] = documents.join(texts, on="text_id", how="inner").select("site", "document_id", TEXT, SPLIT)
    return found


def _described(frame: DataFrame) -> T.StructType:
    """The columns of a frame with the comments of their declarations."""
    declared = {field.name: field for table in (EXAMPLES, RANKINGS, DOCUMENTS, TEXTS) for field in table.columns}
    declared[TEXT] = declared["raw"]
    return T.StructType(
        [T.StructField(each.name, each.dataType, each.nullable, declared[each.name].metadata) for each in frame.schema]
    )


def _rows_by_split(frame: DataFrame) -> dict[str, int]:
    counts = frame.groupBy(SPLIT).count().collect()
    return {row[SPLIT]: row["count"] for row in sorted(counts, key=lambda row: row[SPLIT])}
