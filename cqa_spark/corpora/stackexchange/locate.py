"""Locates lines in their files, because Spark's text reader gives no offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.line_batches import Block, by_block

_PLACED = "file int, block_start bigint, place bigint, length bigint, raw binary"


def place_in_blocks(lines: DataFrame) -> DataFrame:
    """Keep the selected lines, each with its position in its block, and the lengths of the blocks.

    Python receives the lengths of all lines, but the text of the selected ones only.

    Args:
        lines: file, block_start, length (bytes with the separator) and raw (binary; null if not selected) of every
            line, the rows of a block in the file's order.
    """
    return lines.select("file", "block_start", "length", "raw").mapInArrow(_places, _PLACED)


def locate(placed: DataFrame, marks: dict[int, int]) -> DataFrame:
    """Compute the byte offsets of the selected lines in their files.

    Args:
        placed: as ``place_in_blocks`` returns it; read twice, so persist it.
        marks: bytes that Spark dropped at the start of each file, its byte order mark.

    Returns:
        file, byte_offset, length (bytes) and raw (binary).
    """
    earlier = Window.partitionBy("file").orderBy("block_start").rowsBetween(Window.unboundedPreceding, -1)
    mark = F.create_map(*[F.lit(each) for pair in marks.items() for each in pair])[F.col("file")]
    blocks = (
        placed.where(F.col("raw").isNull())
        .groupBy("file", "block_start")
        .agg(F.sum("length").alias("bytes"))
        .select("file", "block_start", (F.coalesce(F.sum("bytes").over(earlier), F.lit(0)) + mark).alias("start"))
    )
    found = placed.where(F.col("raw").isNotNull()).join(F.broadcast(blocks), ["file", "block_start"])
    return found.select("file", (F.col("start") + F.col("place")).alias("byte_offset"), "length", "raw")


def _places(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Number selected lines within the block; yield the length of each part of the block as a row without text."""
    block: Block | None = None
    read = 0
    for here, part in by_block(batches):
        if here != block:
            block, read = here, 0
        lengths = part.column("length").to_numpy()
        places = read + np.concatenate(([0], np.cumsum(lengths)[:-1]))
        wanted = part.column("raw").is_valid()
        table = _batch(
            part.column("file"), part.column("block_start"), places, part.column("length"), part.column("raw")
        )
        yield table.filter(wanted)
        yield _batch([here[0]], [here[1]], [read], [int(lengths.sum())], pa.nulls(1, pa.binary()))
        read += int(lengths.sum())


def _batch(file: object, block_start: object, place: object, length: object, raw: object) -> pa.RecordBatch:
    types = (pa.int32(), pa.int64(), pa.int64(), pa.int64(), pa.binary())
    names = ["file", "block_start", "place", "length", "raw"]
    columns = [
        each if isinstance(each, pa.Array) else pa.array(each, of)
        for each, of in zip((file, block_start, place, length, raw), types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=names)
