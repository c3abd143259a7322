"""Separates the rows of a dump from its other lines, batch by batch.

Does not import Spark, which would delay the start of every worker process by seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.corpora.stackexchange.attributes import take_attributes
from cqa_spark.corpora.stackexchange.escapes import Flags

ROW, NOT_A_ROW, SUSPECT = range(3)
"""Kinds of lines."""

MARKUP = r"<\?xml[^<]*\?>|<!DOCTYPE[^<\[]*>|<!--(?:(?!-->).)*-->"


def parse_batches(root: str, names: Sequence[str], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Parse lines.

    Args:
        root: the element around the rows.
        names: names of known attributes.
        batches: any columns, with the lines as the last one: strings, which may contain invalid UTF-8.

    Yields:
        The other columns; the kinds of the lines (int); for ``ROW``, a map of unknown attributes, and the text of every
        known attribute.
    """
    between_rows = re.compile(rf"(?:</?{root}\s*/?>|{MARKUP})?", re.IGNORECASE)
    for batch in batches:
        *others, values = batch.columns
        lines, is_text = _texts(values)
        attributes = take_attributes(lines, names)
        kinds = np.where(attributes.is_row & is_text, ROW, SUSPECT)
        for line in np.flatnonzero(is_text & ~attributes.is_row):
            if between_rows.fullmatch(lines[line].as_py().strip()):
                kinds[line] = NOT_A_ROW
        columns = [*others, pa.array(kinds, pa.int32()), attributes.unknown, *attributes.known]
        yield pa.RecordBatch.from_arrays(columns, names=[str(number) for number, _ in enumerate(columns)])


def _texts(lines: pa.Array) -> tuple[pa.Array, Flags]:
    """The lines, with empty strings for invalid UTF-8, and the mask of valid lines."""
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        is_text = np.array([_is_text(line) for line in lines.cast(pa.binary()).to_pylist()])
        return pc.if_else(pa.array(is_text), lines, ""), is_text
    return lines, np.ones(len(lines), dtype=bool)


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
