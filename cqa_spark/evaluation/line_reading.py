"""Reads files of one record per line, in columns separated by blanks; they may be compressed by gzip."""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from gzip import GzipFile
from io import TextIOWrapper
from itertools import islice
from math import inf, isfinite
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from cqa_spark.errors import InputError

_GZIP = b"\x1f\x8b"
LONGEST = 1_000_000
"""Limit of a line, in characters, so that a file of another kind does not fill the memory."""

_FIELD = re.compile(r"\S+", re.ASCII)  # other blanks, such as U+00A0, may be part of ids
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_BLANK_IN_COLUMN = "blanks separate columns as tabs do: write ids without them"
_XML = re.compile("<\\?xml |<!doctype ", re.IGNORECASE)  # they have as many columns as some layouts
_MARKUP = {"<": "XML", "{": "JSON", "[": "JSON"}
_MORE = "..."


class Line(NamedTuple):
    """One line of a file: its number, from 1, its columns, and the expected ones."""

    path: Path
    number: int
    fields: list[str]
    layout: str

    def error(self, problem: str) -> InputError:
        """The error to raise for this line."""
        return InputError(f"{self.path}:{self.number}: {problem}", _advice([self.layout]))

    def real(self, text: str, meaning: str) -> float:
        """A number.

        Raises:
            InputError: it is not a finite number.
        """
        value = float(text) if NUMBER.fullmatch(text) else inf
        if not isfinite(value):
            raise self.error(f"{meaning} {text!r} is not a finite number")
        return value

    def integer(self, text: str, meaning: str) -> int:
        """A whole number, such as ``2`` or ``2.0``.

        Raises:
            InputError: it is not a whole number.
        """
        value = self.real(text, meaning)
        if not value.is_integer():
            raise self.error(f"{meaning} {text!r} is not a whole number")
        return int(value)


def read_lines(path: Path, *layouts: str, comments: bool = False) -> Iterator[Line]:
    """The lines of a file that are not blank.

    Args:
        path: a UTF-8 text file, which may be compressed by gzip.
        layouts: the columns' names of possible layouts, separated by spaces; after ``...`` a line may have any number
            of further columns. The first line determines the layout of the file.
        comments: skip lines that begin with ``#``.

    Raises:
        InputError: the file is missing, unreadable or empty, or a line has another number of columns.
    """
    layout: str | None = None
    for number, text in _numbered(path):
        fields = _FIELD.findall(text)
        if not fields or (comments and fields[0].startswith("#")):
            continue
        if layout is None or not _fits(fields, layout):
            possible = layouts if layout is None else [layout]
            layout = next((each for each in possible if _fits(fields, each)), None)
            if layout is None or _XML.match(text):
                if kind := _MARKUP.get(fields[0][0]):
                    raise InputError(f"{path}:{number}: the file is {kind}, not lines of columns", _advice(possible))
                widths = " or ".join(str(width_of(each)) for each in possible)
                remedy = _advice(possible)
                if any(_has_blank_in_column(text, each) for each in possible):
                    remedy = f"{_BLANK_IN_COLUMN}; {remedy}"
                raise InputError(f"{path}:{number}: {len(fields)} columns instead of {widths}", remedy)
        if len(fields) > width_of(layout) and _has_blank_in_column(text, layout):
            raise InputError(f"{path}:{number}: a column between tabs holds a blank", _BLANK_IN_COLUMN)
        yield Line(path, number, fields, layout)
    if layout is None:
        raise InputError(f"{path}: has no lines", _advice(layouts))


def _has_blank_in_column(text: str, layout: str) -> bool:
    """Whether tabs separate the columns of the layout, of which one before the last holds a blank."""
    columns = text.strip().split("\t")
    return len(columns) == width_of(layout) and any(len(_FIELD.findall(column)) > 1 for column in columns[:-1])


def line_of(row: int, path: Path, *layouts: str, comments: bool = False) -> Line:
    """The line of a row of ``read_lines``, from 0."""
    return next(islice(read_lines(path, *layouts, comments=comments), row, None))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise an ``InputError`` if the file cannot be read in this block."""
    try:
        yield
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else _reason(error)
        raise InputError(f"{path}: cannot be read: {reason}", "name an existing, readable text file") from error


def unpacked(file: BinaryIO) -> BinaryIO:
    """The content of a file, which may be compressed by gzip."""
    packed = file.peek(2).startswith(_GZIP)  # type: ignore[attr-defined]
    return cast(BinaryIO, GzipFile(fileobj=file)) if packed else file


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    with reading(path), path.open("rb") as file, TextIOWrapper(unpacked(file), encoding="utf-8-sig") as lines:
        for number, text in enumerate(iter(partial(lines.readline, LONGEST), ""), start=1):
            if len(text) == LONGEST:
                raise InputError(
                    f"{path}:{number}: has {LONGEST:,} characters or more", "name a text file of short lines"
                )
            yield number, text


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or f"its compression by gzip is damaged: {error}"


@cache
def width_of(layout: str) -> int:
    """The number of columns of a layout, without the further ones of ``...``."""
    return len(layout.removesuffix(_MORE).split())


def _fits(fields: Sequence[str], layout: str) -> bool:
    return len(fields) == width_of(layout) or (layout.endswith(_MORE) and len(fields) > width_of(layout))


def _advice(layouts: Iterable[str]) -> str:
    return f"a line should read: {', or: '.join(layouts)}"
