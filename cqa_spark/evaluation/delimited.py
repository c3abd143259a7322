"""Files of one record per line, in columns separated by blanks; they may be compressed by gzip."""

import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from gzip import GzipFile
from io import TextIOWrapper
from math import inf, isfinite
from pathlib import Path
from typing import NamedTuple

from cqa_spark.errors import EnvironmentProblem, InputError

_GZIP = b"\x1f\x8b"
_LONGEST = 1_000_000
"""Limit of a line, in characters, so that a file of another kind does not fill the memory."""

_FIELD = re.compile(r"\S+", re.ASCII)  # other blanks, such as U+00A0, may be part of ids
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
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
        value = float(text) if _NUMBER.fullmatch(text) else inf
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
            if layout is None:
                widths = " or ".join(str(_width(each)) for each in possible)
                raise InputError(f"{path}:{number}: {len(fields)} columns instead of {widths}", _advice(possible))
        yield Line(path, number, fields, layout)
    if layout is None:
        raise InputError(f"{path}: has no lines", _advice(layouts))


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as file:
            content = GzipFile(fileobj=file) if file.peek(2).startswith(_GZIP) else file
            with TextIOWrapper(content, encoding="utf-8-sig") as lines:
                for number, text in enumerate(iter(partial(lines.readline, _LONGEST), ""), start=1):
                    if len(text) == _LONGEST:
                        raise InputError(
                            f"{path}:{number}: has {_LONGEST:,} characters or more", "name a text file of short lines"
                        )
                    yield number, text
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else _reason(error)
        raise InputError(f"{path}: cannot be read: {reason}", "name an existing, readable text file") from error


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or f"its compression by gzip is damaged: {error}"


@cache
def _width(layout: str) -> int:
    return len(layout.removesuffix(_MORE).split())


def _fits(fields: Sequence[str], layout: str) -> bool:
    return len(fields) == _width(layout) or (layout.endswith(_MORE) and len(fields) > _width(layout))


def _advice(layouts: Iterable[str]) -> str:
    return f"a line should read: {', or: '.join(layouts)}"


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
                file.write(_joined(path, row, separator))
                lines += 1
        os.replace(unfinished, path)
    except OSError as error:
        raise EnvironmentProblem(f"{path}: cannot be written: {error.strerror}", "name a writable location") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return lines


def _joined(path: Path, row: Sequence[object], separator: str) -> str:
    fields = [str(field) for field in row]
    for field in fields:
        if field.split() != [field]:
            raise InputError(f"{path}: {field!r} is empty or contains a blank", "ids in such files are single words")
    return separator.join(fields) + "\n"
