"""Writes files of one record per line, in columns separated by blanks."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from cqa_spark.errors import EnvironmentProblem, InputError


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
