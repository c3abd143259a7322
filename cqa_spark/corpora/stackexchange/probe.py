"""Opens the text of a dump's file, and probes both ends of it: content, root, row layout, and whether it is complete.

A file is local or in a bucket, plain or compressed. It is probed before anything is read, so that a file that is no
dump, or that is cut, costs no run.
"""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from os import SEEK_END
from pathlib import Path, PurePath
from typing import IO, Any, NamedTuple

from backports.zstd import DecompressionParameter, ZstdError, ZstdFile

from cqa_spark.corpora.content_check import refuse_foreign_content
from cqa_spark.corpora.inputs import Meter, UnpackLimits, open_stored
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.markup import last_tag, prolog
from cqa_spark.corpora.stackexchange.tables import DUMP_TABLES
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings

PIECE = 1 << 20
"""Bytes that are unpacked at a time."""

HEAD_BYTES = 1 << 16
TAIL_BYTES = 1 << 12
LONGEST_MARKUP = 1 << 26
"""Bytes at either end of a file that are searched for the root's tag, beyond a comment."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SHOWN_BYTES = 80

ESSENTIAL = ("body", "created_at")
"""Columns that the rows of every dump fill, if their table has them."""

_LARGEST_WINDOW = 27
"""Binary logarithm of the memory of Zstandard's decoder; a frame can require terabytes (RFC 8878, 3.1.1.1.2)."""

_UNPACKERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".zst": partial(ZstdFile, options={DecompressionParameter.window_log_max: _LARGEST_WINDOW}),
}

_ROW = re.compile(rb"<row(?=[\s/>])[^<>]*")
_NAME = re.compile(rb"\s([A-Za-z_][\w.-]*)\s*=\s*[\"']")


@dataclass(frozen=True)
class Access:
    """How tasks and the driver read files.

    Attributes:
        storage: object storage settings.
        limits: limits on the unpacked size of compressed files.
    """

    storage: ObjectStorageSettings
    limits: UnpackLimits


@contextmanager
def open_text(file: DumpFile, access: Access, size: int, start: int = 0) -> Iterator[Text]:
    """Open the text of a file.

    Args:
        file: the file.
        access: how to read it.
        size: its stored bytes.
        start: the first byte to read; 0 for a compressed file.

    Raises:
        InputError: it cannot be read, it is damaged or truncated, or it unpacks to more than a limit allows; raised
            here or while it is read.
    """
    with _refusing_damage(file):
        stored = open_stored(file.path, access.storage, start)
    with stored:
        yield Text(file, stored, Meter(Path(file.path), size, access.limits))


class Text:
    """The text of a file, unpacked and counted if it is compressed.

    Args:
        file: the file.
        stored: its stored bytes.
        meter: counts the unpacked bytes.
    """

    def __init__(self, file: DumpFile, stored: IO[bytes], meter: Meter) -> None:
        self._file, self._meter = file, meter
        self._text: Any = _UNPACKERS[file.packing](stored) if file.packing else stored

    def read(self, size: int, /) -> bytes:
        """The next bytes; fewer than ``size`` only at the end."""
        is_packed = bool(self._file.packing)
        pieces, missing = [], size
        with _refusing_damage(self._file):
            while missing:
                # Unpacked piece by piece, so that what unpacks to too much is refused before it fills the memory.
                piece = self._text.read(min(missing, PIECE) if is_packed else missing)
                if not piece:
                    break
                if is_packed:
                    self._meter.add(PurePath(self._file.path).stem, len(piece))
                pieces.append(piece)
                missing -= len(piece)
        return b"".join(pieces)


@contextmanager
def _refusing_damage(file: DumpFile) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, ZstdError, OSError) as error:
        if "too much memory" in str(error):
            raise InputError(
                f"{file.path} needs more than {1 << _LARGEST_WINDOW:,} bytes of memory to unpack",
                f"check where it comes from; if it is right, pack it again with zstd --long={_LARGEST_WINDOW}",
            ) from error
        if file.packing:
            raise InputError(
                f"damaged or truncated compressed files: {file.path}: {error}",
                "test them with gzip -t, bzip2 -t or zstd -t, and download damaged ones again",
            ) from error
        raise InputError(f"cannot read {file.path}: {error}", "check the file and its storage") from error


class RowLayout(Enum):
    """The row layout: the separator of rows, a line end or the start of the next row."""

    ROW_PER_LINE = "\n"
    ROW_PER_OLD_LINE = "\r"
    ROW_OVER_LINES = "<row"


@dataclass(frozen=True)
class FileProbe:
    """The result of probing a file.

    Attributes:
        size: stored size in bytes.
        layout: the row layout.
        root: the name of the element around its rows.
        complete: whether it ends with its root's closing tag; None if compression hides the end.
    """

    size: int
    layout: RowLayout
    root: str
    complete: bool | None


class _Ends(NamedTuple):
    """Both ends of a file.

    Attributes:
        size: stored size in bytes.
        head: its first bytes as text, decompressed.
        tail: its last bytes as stored.
    """

    size: int
    head: bytes
    tail: bytes


def probe(file: DumpFile, access: Access) -> FileProbe:
    """Probe both ends of a file.

    Args:
        file: the file.
        access: how to read it.

    Raises:
        InputError: it cannot be read, is not the XML of a dump (the message says what it is), or its attributes have
            other names.
    """
    ends = _ends(file, access)
    refuse_foreign_content(ends.head, file.path)
    text = ends.head.removeprefix(BYTE_ORDER_MARK)
    root, start = _root(text, file)
    refuse_renamed_attributes(file, text[start:])
    # Compression hides the end of a file, unless it is empty.
    hides_end = file.packing and text
    return FileProbe(
        size=ends.size,
        layout=_layout(text[start:]),
        root=root,
        complete=None if hides_end else (last_tag(ends.tail) or "").lower() == root.lower(),
    )


def _root(text: bytes, file: DumpFile) -> tuple[str, int]:
    """The name of the root element, and the position of its content.

    Any root may contain rows, except that of another table.
    """
    start, expected = prolog(text), file.dump_table.root
    content = text[start.end :]
    if start.root is None:
        if start.within is None and content.strip() and not _ROW.search(content):
            shown = " ".join(text[:SHOWN_BYTES].decode("utf-8", "replace").split())
            raise InputError(
                f"{file.path} is no Stack Exchange dump; it starts with: {shown}",
                "check where the file comes from, and download it again",
            )
        # A comment that does not end in the head hides where the rows start: they may as well start at once.
        return expected, start.end if start.within is None else 0
    root = start.root
    if root.lower() == expected:
        return root, start.end
    for table in DUMP_TABLES:
        if root.lower() == table.root:
            raise InputError(
                f"{file.path} has the root element <{root}>, so it is a table of {table.file}, not of "
                f"{file.dump_table.file}",
                f"let its name be {table.file}.xml",
            )
    if re.match(rb"<row[\s/>]", content):
        return root, start.end
    raise InputError(
        f"{file.path} has the root element <{root}>, not <{expected}>, and its first element is not <row>",
        "name the files of a Stack Exchange dump",
    )


def _layout(text: bytes) -> RowLayout:
    opening = re.search(rb"<row\s", text)
    if opening is None:
        return RowLayout.ROW_PER_LINE
    if b"\n" not in text and b"\r" in text:
        return RowLayout.ROW_PER_OLD_LINE
    first_line = re.split(rb"[\r\n]", text[opening.start() :], maxsplit=1)[0]
    # A line that the head cuts says nothing against a row per line.
    is_complete_row = b">" in first_line or len(first_line) == len(text) - opening.start()
    has_one_row = len(re.findall(rb"<row\s", first_line)) == 1
    return RowLayout.ROW_PER_LINE if is_complete_row and has_one_row else RowLayout.ROW_OVER_LINES


def _ends(file: DumpFile, access: Access) -> _Ends:
    stored = b""
    try:
        with open_stored(file.path, access.storage) as stream:
            stored = stream.read(HEAD_BYTES)
            size = stream.seek(0, SEEK_END)

            def read_at(start: int, most: int) -> bytes:
                stream.seek(start)
                return stream.read(most)

            tail = _tail(read_at, size)
        with open_text(file, access, size) as text:
            return _Ends(size, _head(text.read), tail)
    except (InputError, OSError) as error:
        refuse_foreign_content(stored, file.path)
        reason = error.problem if isinstance(error, InputError) else error
        raise InputError(f"cannot read {file.path}: {reason}", "check the file and its storage") from error


def _head(read: Callable[[int], bytes]) -> bytes:
    """The first bytes: enough to see what follows the tag of the root, however long the comments before it are."""
    head = read(HEAD_BYTES)
    while len(head) < LONGEST_MARKUP:
        needed = prolog(head.removeprefix(BYTE_ORDER_MARK)).end + HEAD_BYTES // 2
        if needed <= len(head):
            break
        more = read(min(7 * len(head), LONGEST_MARKUP - len(head)))
        if not more:
            break
        head += more
    return head


def _tail(read: Callable[[int, int], bytes], size: int) -> bytes:
    """The last bytes: enough to see the last tag, however long the comments after it are."""
    length = TAIL_BYTES
    while True:
        tail = read(max(0, size - length), min(length, size))
        may_be_markup = tail.rstrip().endswith((b"-->", b"?>"))
        if length >= min(size, LONGEST_MARKUP) or not may_be_markup or last_tag(tail):
            return tail
        length = min(8 * length, LONGEST_MARKUP)


def refuse_renamed_attributes(file: DumpFile, head: bytes) -> None:
    """Refuse a file whose first rows lack an essential attribute and have undeclared ones: it was renamed.

    Args:
        file: the file.
        head: its first bytes, uncompressed.

    Raises:
        InputError: every text or time of the file would be null; the message says which names were seen.
    """
    rows = [_NAME.findall(row) for row in _ROW.findall(head)]
    seen = dict.fromkeys(name.decode("utf-8", "replace") for row in rows for name in row)
    declared = file.dump_table.attributes
    missing = [name for name, column in declared.items() if column in ESSENTIAL and name not in seen]
    if missing and seen.keys() - declared.keys():
        raise InputError(
            f"{file.path}: the first {len(rows)} rows have no {' and no '.join(missing)}\n"
            f"    expected: {', '.join(declared)}\n    seen: {', '.join(seen)}",
            "rename the attributes to those of the Stack Exchange data dump",
        )
