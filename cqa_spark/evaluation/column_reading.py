"""Reads files of one record per line as columns, in pieces; the columns are separated by blanks."""

import zlib
from collections.abc import Iterator
from itertools import islice
from math import nan
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute as pc
from pyarrow import csv

from cqa_spark.errors import InputError
from cqa_spark.evaluation.line_reading import LONGEST, NUMBER, read_lines, unpacked, width_of

_BLOCK = 8_000_000
"""Size of the pieces in which a file is read, in bytes."""

_ROWS = 100_000
"""Number of lines that are read one by one before they become columns."""

_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")


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

    def without_first(self) -> "Columns":
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
