"""Reads files of threads in ranges of bytes, and cuts their text into records, which are parsed into rows.

A chunk is the text between two closing tags of threads. Every opening tag in it starts a record, so that a truncated
thread does not swallow the next one; text outside of threads is a record with a problem.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import SEEK_END
from typing import IO, Any

from pyspark.sql import types as T

from cqa_spark.corpora.content_check import REMEDY, SHOWN_CHARACTERS, names_seen
from cqa_spark.corpora.inputs import InputFile, open_stored
from cqa_spark.corpora.qatar_living.threads import ORIGINAL, WRAPPER, Layout, UnreadableThread, parse_thread
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings

RANGE = 64 << 20
"""Bytes of a range."""

PIECE = 1 << 20
"""Bytes that are read at a time."""

LONGEST_TAG = 64
"""Bytes of the longest opening tag by which a layout is detected."""

SHOWN_LINES = 20

OUTSIDE = "this text is outside of any thread"
UNCLOSED = "the thread has no closing tag before the next one opens"
ENDS_INSIDE = "the file ends inside a thread"

_wrapper = re.compile(WRAPPER.encode())


@dataclass(frozen=True)
class ProbedFile:
    """A file whose layout is known.

    Attributes:
        file: the file.
        layout: its layout.
        size: bytes.
    """

    file: InputFile
    layout: Layout
    size: int

    def ranges(self) -> list[tuple[int, int]]:
        """Starts and ends of the ranges in which the file is read."""
        return [(start, start + RANGE) for start in range(0, self.size, RANGE)]


def probe(file: InputFile, layouts: Sequence[Layout], storage: ObjectStorageSettings) -> ProbedFile:
    """Detect the layout by the first element that marks one; threads without such an element are of the last.

    Args:
        file: the file.
        layouts: the possible layouts.
        storage: object storage settings.

    Raises:
        InputError: the file cannot be read, or contains no thread.
    """
    try:
        with open_stored(file.path, storage) as stream:
            layout = _layout(stream, layouts)
            if layout is not None:
                return ProbedFile(file, layout, stream.seek(0, SEEK_END))
            stream.seek(0)
            beginning = stream.read(PIECE).decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError(
            f"cannot read {file.path}: {error}", "check the address and that the job may read it"
        ) from error
    shown = " ".join(line[:SHOWN_CHARACTERS] for line in beginning[:SHOWN_LINES])
    raise InputError(
        f"{file.path} contains no thread"
        + "".join(f"\n    expected: {layout.about}" for layout in layouts)
        + f"\n    seen: {names_seen(shown)}",
        REMEDY,
    )


def _layout(stream: IO[bytes], layouts: Sequence[Layout]) -> Layout | None:
    text, has_thread = b"", False
    while piece := stream.read(PIECE):
        text = text[-LONGEST_TAG:] + piece
        for layout in layouts:
            if re.search(rb"<%b[\s>]" % layout.mark.encode(), text):
                return layout
        has_thread = has_thread or re.search(layouts[-1].opening.encode(), text) is not None
    return layouts[-1] if has_thread else None


@dataclass(frozen=True)
class Chunk:
    """The text between two closing tags.

    Attributes:
        offset: byte offset of its start in the file.
        text: its bytes, without the closing tag after it.
        is_closed: whether there is one; not at the end of the file.
    """

    offset: int
    text: bytes
    is_closed: bool


def read_chunks(stream: IO[bytes], start: int, stop: int, closing: bytes) -> Iterator[Chunk]:
    """Read the chunks that start in a range of bytes, with all of their text.

    Args:
        stream: the file.
        start: the first byte.
        stop: the byte after the last.
        closing: the closing tag.
    """
    offset = stream.seek(max(0, start - len(closing)))
    text, is_outside = b"", start > 0  # what precedes the first closing tag belongs to the range before
    while piece := stream.read(max(PIECE, len(text))):
        # A closing tag may start in the text that is left and end in the new piece.
        begin, searched = 0, max(0, len(text) - len(closing) + 1)
        text += piece
        while (end := text.find(closing, max(begin, searched))) >= 0:
            if not is_outside:
                yield Chunk(offset + begin, text[begin:end], is_closed=True)
            is_outside, begin = False, end + len(closing)
            if offset + begin >= stop:
                return
        text, offset = text[begin:], offset + begin
    if text and not is_outside:
        yield Chunk(offset, text, is_closed=False)


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


def _struct(strings: str, **typed: T.DataType) -> T.StructType:
    fields: dict[str, T.DataType] = {name: T.StringType() for name in strings.split()} | typed
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
    "problem raw", file=T.IntegerType(), byte_offset=T.LongType(), record_count=T.LongType(), thread=THREAD
)


def parse_range(
    files: Sequence[ProbedFile],
    storage: ObjectStorageSettings,
    file: int,
    start: int,
    stop: int,
) -> Iterator[dict[str, Any]]:
    r"""Parse every record that starts in a range of a file.

    Args:
        files: the files.
        storage: object storage settings.
        file: position of the file in ``files``.
        start: the first byte of the range.
        stop: the byte after its last.

    Yields:
        byte_offset (in the file, from 0), raw (as in the file; bytes that are not UTF-8 as ``\xNN``), problem (one
        sentence; None if the record is a valid thread), thread (``THREAD``; None if there is a problem); then
        record_count, counted independently.
    """
    layout, record_count = files[file].layout, 0
    with open_stored(files[file].file.path, storage) as stream:
        for chunk in read_chunks(stream, start, stop, layout.closing.encode()):
            # A byte order mark is no text, but counts for the offsets.
            mark = len(BOM_UTF8) if chunk.offset == 0 and chunk.text.startswith(BOM_UTF8) else 0
            text = chunk.text[mark:]
            record_count += _count(text, layout)
            for record in cut(text, layout):
                yield {"byte_offset": chunk.offset + mark + record.offset, **_row(record, layout, chunk.is_closed)}
    yield {"record_count": record_count}


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
