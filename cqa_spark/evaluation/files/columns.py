"""Files of one record per line, in columns separated by blanks: read line by line or as columns, and written.

Files may be compressed by gzip.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from gzip import GzipFile
from io import TextIOWrapper
from itertools import islice
from math import inf, isfinite, nan
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute as pc
from pyarrow import csv

from cqa_spark.errors import EnvironmentProblem, InputError

_GZIP = b"\x1f\x8b"

LONGEST = 1_000_000
"""Limit of a line, in characters, so that a file of another kind does not fill the memory."""

_FIELD = re.compile(r"\S+", re.ASCII)  # other blanks, such as U+00A0, may be part of ids
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_BLANK_IN_COLUMN = "blanks separate columns as tabs do: write ids without them"
_XML = re.compile("<\\?xml |<!doctype ", re.IGNORECASE)  # they have as many columns as some layouts
_MARKUP = {"<": "XML", "{": "JSON", "[": "JSON"}
_MORE = "..."

_BLOCK = 8_000_000
"""Size of the pieces in which a file is read, in bytes."""

_ROWS = 100_000
"""Number of lines that are read one by one before they become columns."""

_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")


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
            layout = next((columns for columns in possible if _fits(fields, columns)), None)
            if layout is None or _XML.match(text):
                if kind := _MARKUP.get(fields[0][0]):
                    raise InputError(f"{path}:{number}: the file is {kind}, not lines of columns", _advice(possible))
                widths = " or ".join(str(width_of(columns)) for columns in possible)
                remedy = _advice(possible)
                if any(_has_blank_in_column(text, columns) for columns in possible):
                    remedy = f"{_BLANK_IN_COLUMN}; {remedy}"
                raise InputError(f"{path}:{number}: {len(fields)} columns instead of {widths}", remedy)
        if len(fields) > width_of(layout) and _has_blank_in_column(text, layout):
            raise InputError(f"{path}:{number}: a column between tabs holds a blank", _BLANK_IN_COLUMN)
        yield Line(path, number, fields, layout)
    if layout is None:
        raise InputError(f"{path}: has no lines", _advice(layouts))


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


@cache
def width_of(layout: str) -> int:
    """The number of columns of a layout, without the further ones of ``...``."""
    return len(layout.removesuffix(_MORE).split())


class Columns(NamedTuple):
    """Consecutive rows of a file.

    Attributes:
        layout: the columns' names, separated by spaces.
        first: number of the first row, from 0; lines without a record have none.
        fields: the text of each column of the layout.
    """

    layout: str
    first: int
    fields: list[pa.StringArray]

    def without_first(self) -> Columns:
        """All rows but the first."""
        return Columns(self.layout, self.first + 1, [field[1:] for field in self.fields])


def read_columns(path: Path, *layouts: str, comments: bool = False) -> Iterator[Columns]:
    """The rows of ``read_lines``, in columns, with its arguments and exceptions.

    pyarrow reads lines whose columns are separated by single blanks; from the first piece of a file that has others, or
    faults, lines are read one by one.
    """
    layout = next(read_lines(path, *layouts, comments=comments)).layout
    width, rows = width_of(layout), 0
    try:
        for block in _blocks(path):
            fields = _regular(block, width, comments)
            yield Columns(layout, rows, fields)
            rows += len(fields[0])
        return
    except (pa.ArrowInvalid, OSError, EOFError, zlib.error):
        pass  # reading lines says what is wrong
    lines = islice(read_lines(path, *layouts, comments=comments), rows, None)
    fault: InputError | None = None
    while fault is None:
        several: list[list[str]] = []
        try:
            several.extend(line.fields[:width] for line in islice(lines, _ROWS))
        except InputError as error:
            fault = error  # the lines before it may have other faults
        if several:
            columns = zip(*several, strict=True)
            yield Columns(layout, rows, [pa.array(column, pa.string()) for column in columns])
        elif fault is None:
            return
        rows += len(several)
    raise fault


def numbers(column: pa.StringArray) -> NDArray[np.float64]:
    """The finite numbers of a column; NaN for all other texts."""
    try:
        values = column.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        values = np.array([float(text) if NUMBER.fullmatch(text) else nan for text in column.to_pylist()])
    return np.where(np.isfinite(values), values, nan)


def write_lines(path: Path, rows: Iterable[Sequence[object]], separator: str) -> int:
    """Write a file atomically.

    Returns:
        The number of lines.

    Raises:
        InputError: a column is empty or contains a blank, and could not be read back.
        EnvironmentProblem: the folder is not writable.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            lines = 0
            for row in rows:
                fields = [str(field) for field in row]
                for field in fields:
                    if field.split() != [field]:
                        raise InputError(
                            f"{path}: {field!r} is empty or contains a blank", "ids in such files are single words"
                        )
                file.write(separator.join(fields) + "\n")
                lines += 1
        os.replace(unfinished, path)
    except OSError as error:
        raise EnvironmentProblem(f"{path}: cannot be written: {error.strerror}", "name a writable location") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return lines


def _has_blank_in_column(text: str, layout: str) -> bool:
    """Whether tabs separate the columns of the layout, of which one before the last holds a blank."""
    columns = text.strip().split("\t")
    return len(columns) == width_of(layout) and any(len(_FIELD.findall(column)) > 1 for column in columns[:-1])


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


def _fits(fields: Sequence[str], layout: str) -> bool:
    return len(fields) == width_of(layout) or (layout.endswith(_MORE) and len(fields) > width_of(layout))


def _advice(layouts: Iterable[str]) -> str:
    return f"a line should read: {', or: '.join(layouts)}"


def _regular(block: bytes, width: int, comments: bool) -> list[pa.StringArray]:
    """The columns of lines that are separated by single blanks; ``ArrowInvalid`` if there are other lines."""
    names = [*map(str, range(width))]
    table = csv.read_csv(
        pa.BufferReader(block.translate(_BLANKS)),
        csv.ReadOptions(column_names=names),
        csv.ParseOptions(delimiter=" ", quote_char=False),
        csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
    )
    fields = [column.combine_chunks() for column in table.columns]
    has_empty = any(pc.any(pc.equal(pc.binary_length(field), 0)).as_py() for field in fields)
    if has_empty or (comments and pc.any(pc.starts_with(fields[0], "#")).as_py()):
        raise pa.ArrowInvalid("several blanks, or a comment")
    return fields


def _blocks(path: Path) -> Iterator[bytes]:
    """Whole lines of a file; ``ArrowInvalid`` if a line is too long."""
    with path.open("rb") as file:
        content = unpacked(file)
        while block := content.read(_BLOCK):
            rest = content.readline(LONGEST)
            if len(rest) == LONGEST:
                raise pa.ArrowInvalid("a long line")
            yield block + rest
