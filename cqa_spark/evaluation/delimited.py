"""Files of one record per line, in columns separated by spaces."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cqa_spark.errors import EnvironmentProblem, InputError


class Line(NamedTuple):
    """One line of a file.

    Attributes:
        path: the file.
        number: the line, from 1.
        fields: its columns.
        layout: the expected columns, for messages.
    """

    path: Path
    number: int
    fields: list[str]
    layout: str

    def error(self, problem: str) -> InputError:
        """The error to raise for this line."""
        return InputError(f"{self.path}:{self.number}: {problem}", f"a line should read: {self.layout}")

    def score(self, text: str) -> float:
        """A score, as a number.

        Raises:
            InputError: it is not a number, or not an orderable one (NaN).
        """
        try:
            score = float(text)
        except ValueError:
            raise self.error(f"score {text!r} is not a number") from None
        if score != score:
            raise self.error(f"score {text!r} cannot be ordered")
        return score

    def integer(self, text: str, meaning: str) -> int:
        """A whole number.

        Raises:
            InputError: it is not a whole number.
        """
        try:
            return int(text)
        except ValueError:
            raise self.error(f"{meaning} {text!r} is not a whole number") from None


def read_lines(path: Path, layout: str) -> Iterator[Line]:
    """The non-blank lines of a file.

    Args:
        path: a UTF-8 text file.
        layout: the columns' names, separated by spaces.

    Raises:
        InputError: the file is missing, unreadable or empty, or a line has another number of columns.
    """
    width, empty = len(layout.split()), True
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, text in enumerate(file, start=1):
                line = Line(path, number, text.split(), layout)
                if not line.fields:
                    continue
                if len(line.fields) != width:
                    raise line.error(f"{len(line.fields)} columns instead of {width}")
                empty = False
                yield line
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path}: cannot be read: {reason}", "name an existing, readable text file") from error
    if empty:
        raise InputError(f"{path}: has no lines", f"a line should read: {layout}")


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
