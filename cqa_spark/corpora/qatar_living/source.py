"""Reads files in ranges of bytes: the text between two closing tags of threads, and the layout of a file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import SEEK_END
from typing import IO

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.content_check import REMEDY, SHOWN_CHARACTERS, names_seen
from cqa_spark.corpora.inputs import InputFile, open_stored
from cqa_spark.corpora.qatar_living.layout import Layout
from cqa_spark.errors import InputError

RANGE = 64 << 20
"""Bytes of a range."""

PIECE = 1 << 20
"""Bytes that are read at a time."""

LONGEST_TAG = 64
"""Bytes of the longest opening tag by which a layout is detected."""

SHOWN_LINES = 20


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
