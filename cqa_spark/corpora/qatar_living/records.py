"""Splits the text between two closing tags into records: usually one thread, sometimes fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from cqa_spark.corpora.qatar_living.layout import ORIGINAL, WRAPPER, Layout

OUTSIDE = "this text is outside of any thread"
UNCLOSED = "the thread has no closing tag before the next one opens"

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
