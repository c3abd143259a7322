"""Splits the text between two closing tags into records, and parses these into rows, with byte offsets in the file."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pyspark.sql import types as T

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.inputs import open_stored
from cqa_spark.corpora.qatar_living.layout import ORIGINAL, WRAPPER, Layout
from cqa_spark.corpora.qatar_living.source import ProbedFile, read_chunks
from cqa_spark.corpora.qatar_living.threads import UnreadableThread, parse_thread
from cqa_spark.object_store.s3 import use_credentials

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
        ends_chunk: whether it reaches to the end of the chunk.
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
RECORD = _struct("problem raw", file=T.IntegerType(), byte_offset=T.LongType(), found=T.LongType(), thread=THREAD)


def parse_range(
    files: Sequence[ProbedFile],
    storage: ObjectStorageSettings,
    given: Mapping[str, str],
    file: int,
    start: int,
    stop: int,
) -> Iterator[dict[str, Any]]:
    r"""Parse every record that starts in a range of a file.

    Args:
        files: the files.
        storage: object storage settings.
        given: environment variables of the driver that hold credentials.
        file: position of the file in ``files``.
        start: the first byte of the range.
        stop: the byte after its last.

    Yields:
        byte_offset (in the file, from 0), raw (as in the file; bytes that are not UTF-8 as ``\xNN``), problem (one
        sentence; None if the record is a valid thread), thread (``THREAD``; None if there is a problem); then found,
        the number of records, counted independently.
    """
    use_credentials(given)
    layout, found = files[file].layout, 0
    with open_stored(files[file].file.path, storage) as stream:
        for chunk in read_chunks(stream, start, stop, layout.closing.encode()):
            mark = len(BOM_UTF8) if chunk.offset == 0 and chunk.text.startswith(BOM_UTF8) else 0
            text = chunk.text[mark:]
            found += _count(text, layout)
            for record in cut(text, layout):
                yield {"byte_offset": chunk.offset + mark + record.offset, **_row(record, layout, chunk.is_closed)}
    yield {"found": found}


def _row(record: Record, layout: Layout, is_closed: bool) -> dict[str, Any]:
    """A parsed record of a chunk, which a closing tag follows or the end of the file."""
    problem, thread = record.problem, None
    if record.ends_chunk and not is_closed and problem != OUTSIDE:
        problem = ENDS_INSIDE
    if problem is None:
        try:
            thread = parse_thread(record.text, layout)
        except UnreadableThread as unreadable:
            problem = str(unreadable)
    closing = layout.closing if record.ends_chunk and is_closed else ""
    raw = record.text.decode("utf-8", "backslashreplace") + closing
    return {"raw": raw, "problem": problem, "thread": thread}


def _count(chunk: bytes, layout: Layout) -> int:
    """The number of records of a chunk: its opening tags, and the text before them if there is any."""
    before, *threads = re.split(layout.opening.encode(), chunk)
    original = ORIGINAL.encode()
    outside = before.rpartition(original)[0] if threads and original in before else before
    return len(threads) + bool(_wrapper.sub(rb"\1", outside).strip())
