"""Splits the text between two closing tags into records, and parses these into rows, with byte offsets in the file."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.qatar_living.layout import ORIGINAL, WRAPPER, Layout
from cqa_spark.corpora.qatar_living.threads import UnreadableThread, parse_thread

OUTSIDE = "this text is outside of any thread"
UNCLOSED = "the thread has no closing tag before the next one opens"

ENDS_INSIDE = "the file ends inside a thread"

_wrapper = re.compile(WRAPPER.encode())


@dataclass(frozen=True)
class Record:
    """One record of a chunk.

    Attributes:
        offset: start in the chunk, in bytes.
        text: its bytes, without the closing tag at which the file was split.
        ends_chunk: whether that closing tag belongs to it.
        problem: why it cannot be a thread; None if it should be parsed.
    """

    offset: int
    text: bytes
    ends_chunk: bool
    problem: str | None = None


def cut(chunk: bytes, layout: Layout) -> Iterator[Record]:
    """Yield the records of a chunk in order.

    A thread's record starts at the opening tag of its original question, if that precedes it. Every opening tag starts
    a record, so that a truncated thread does not swallow the next one.

    Args:
        chunk: the bytes between two closing tags.
        layout: the file's layout.
    """
    starts = _starts(chunk, layout)
    first = starts[0] if starts else len(chunk)
    if _wrapper.sub(rb"\1", chunk[:first]).strip():
        yield Record(0, chunk[:first], ends_chunk=not starts, problem=OUTSIDE)
    for start, end in pairwise(starts):
        yield Record(start, chunk[start:end], ends_chunk=False, problem=UNCLOSED)
    if starts:
        yield Record(starts[-1], chunk[starts[-1] :], ends_chunk=True)


def _starts(chunk: bytes, layout: Layout) -> list[int]:
    starts = []
    searched = 0
    for opening in re.finditer(layout.opening.encode(), chunk):
        original = chunk.rfind(ORIGINAL.encode(), searched, opening.start())
        starts.append(opening.start() if original < 0 else original)
        searched = opening.end()
    return starts


def _struct(strings: str, **others: T.DataType) -> T.StructType:
    fields: dict[str, T.DataType] = {name: T.StringType() for name in strings.split()} | others
    return T.StructType([T.StructField(name, data_type) for name, data_type in fields.items()])


_POSTED: dict[str, T.DataType] = {"created_at": T.TimestampType(), "score": T.IntegerType()}
COMMENT = _struct("comment_id user_id user_name body to_related to_original", position=T.IntegerType(), **_POSTED)
ANSWER = _struct("answer_id user_id user_name body", accepted=T.BooleanType(), comments=T.ArrayType(COMMENT), **_POSTED)
THREAD = _struct(
    "thread_id same_as relevance user_id user_name category subject body",
    ranking_order=T.IntegerType(),
    tags=T.ArrayType(T.StringType()),
    view_count=T.LongType(),
    original=_struct("original_id subject body"),
    comments=T.ArrayType(COMMENT),
    answers=T.ArrayType(ANSWER),
    **_POSTED,
)
RECORD = _struct(
    "problem raw",
    file=T.IntegerType(),
    block_start=T.LongType(),
    offset=T.LongType(),
    size=T.LongType(),
    ends_chunk=T.BooleanType(),
    thread=THREAD,
)


def parse_chunks(chunks: DataFrame, blocks: DataFrame, layout: Layout) -> DataFrame:
    r"""Parse every record once.

    Args:
        chunks: as ``source.read_chunks`` returns them.
        blocks: as ``source.count_blocks`` returns them.
        layout: the files' layout.

    Returns:
        file (int), byte_offset (in the file, from 0), raw (as in the file; bytes that are not UTF-8 as ``\xNN``),
        problem (one sentence; null if the record is a valid thread), thread (``THREAD``; null if there is a problem).
    """
    raw_bytes = chunks.select("file", "block_start", F.col("chunk").cast("binary"))
    records = raw_bytes.mapInArrow(_parser(layout), RECORD)
    placed = records.join(F.broadcast(blocks), on=["file", "block_start"], how="left")
    byte_offset = F.col("start") + F.col("offset")
    ends_inside = F.col("ends_chunk") & (byte_offset + F.col("size") >= F.col("file_size"))
    is_cut = ends_inside & ~F.col("problem").eqNullSafe(OUTSIDE)
    closing = F.when(F.col("ends_chunk") & ~ends_inside, layout.closing).otherwise("")
    return placed.select(
        "file",
        byte_offset.alias("byte_offset"),
        F.concat("raw", closing).alias("raw"),
        F.when(is_cut, ENDS_INSIDE).otherwise(F.col("problem")).alias("problem"),
        F.when(~is_cut, F.col("thread")).alias("thread"),
    )


def _parser(layout: Layout) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    schema = to_arrow_schema(RECORD)

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        block, offset = None, 0
        for batch in batches:
            rows = []
            for file, block_start, chunk in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                if block != (file, block_start):
                    block, offset = (file, block_start), 0
                for record in cut(chunk, layout):
                    place = {"file": file, "block_start": block_start, "offset": offset + record.offset}
                    rows.append(place | _row(record, layout))
                offset += len(chunk) + len(layout.closing)
            yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return parse


def _row(record: Record, layout: Layout) -> dict[str, Any]:
    problem, thread = record.problem, None
    if problem is None:
        try:
            thread = parse_thread(record.text, layout)
        except UnreadableThread as unreadable:
            problem = str(unreadable)
    return {
        "raw": record.text.decode("utf-8", "backslashreplace"),
        "size": len(record.text),
        "ends_chunk": record.ends_chunk,
        "problem": problem,
        "thread": thread,
    }
