"""Separates the rows of a dump from its other lines, batch by batch.

Does not import Spark, which would delay the start of every worker process by seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.corpora.stackexchange.attributes import take_attributes
from cqa_spark.corpora.stackexchange.escapes import Flags
from cqa_spark.corpora.stackexchange.markup import Construct, DamagedMarkup, open_markup, skip

ROW, NOT_A_ROW, SUSPECT = range(3)
"""Kinds of lines."""

Block = tuple[int, int]
"""The number of a file, and the byte at which a task's part of it starts."""


def parse_batches(
    root: str, other_roots: Mapping[int, str], names: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Parse lines.

    Args:
        root: the element around the rows.
        other_roots: the element by file, where it is another.
        names: names of known attributes.
        batches: file, block_start and other columns, with the lines as the last one: strings, which may contain invalid
            UTF-8. The lines of a block are in the file's order.

    Yields:
        The other columns; the kinds of the lines (int); for ``ROW``, a map of unknown attributes, and the text of every
        known attribute.
    """
    between_rows = _BetweenRows(root, other_roots)
    for block, batch in by_block(batches):
        *others, values = batch.columns
        lines, is_text = _texts(values)
        attributes = take_attributes(lines, names)
        kinds = np.where(attributes.is_row & is_text, ROW, SUSPECT)
        between_rows.mark(kinds, values.cast(pa.binary()), block)
        columns = [*others, pa.array(kinds, pa.int32()), attributes.unknown, *attributes.known]
        yield pa.RecordBatch.from_arrays(columns, names=[str(number) for number, _ in enumerate(columns)])


def by_block(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Block, pa.RecordBatch]]:
    """Divide batches with the columns file and block_start, so that every batch has lines of one block."""
    for batch in batches:
        if not batch.num_rows:
            continue
        files, starts = batch.column("file").to_numpy(), batch.column("block_start").to_numpy()
        changes = np.flatnonzero((np.diff(files) != 0) | (np.diff(starts) != 0)) + 1
        for start, end in pairwise([0, *changes.tolist(), batch.num_rows]):
            yield (int(files[start]), int(starts[start])), batch.slice(start, end - start)


@dataclass
class _BetweenRows:
    """Recognises lines that are only markup, which may start in an earlier batch.

    A comment with rows that extends over two blocks is not recognised in the second one; the tolerant path then refuses
    its first line and its last.

    Attributes:
        root: the element around the rows.
        other_roots: the element by file, where it is another.
    """

    root: str
    other_roots: Mapping[int, str]
    _block: Block | None = field(default=None, init=False)
    _within: Construct | None = field(default=None, init=False)

    def mark(self, kinds: npt.NDArray[np.int64], lines: pa.Array, block: Block) -> None:
        """Change the kinds of lines that are only markup.

        If markup does not end with the lines, their last remains suspect: the tolerant path sees whether it ends.
        """
        if block != self._block:
            self._block, self._within = block, None
        root = self.other_roots.get(block[0], self.root)
        suspects = iter(np.flatnonzero(kinds != ROW).tolist())
        line = 0
        while line < len(kinds):
            if self._within is None:
                line = next((suspect for suspect in suspects if suspect >= line), len(kinds))
            if line < len(kinds):
                kinds[line] = NOT_A_ROW if self._is_markup(lines[line].as_py(), root) else SUSPECT
            line += 1
        if self._within is not None:
            kinds[-1] = SUSPECT

    def _is_markup(self, line: bytes, root: str) -> bool:
        """Whether a line is only markup; notes what it leaves open."""
        before, self._within = self._within, None
        try:
            _, self._within = open_markup(line, root, before)
            return skip(line, root, within=before)[0] == len(line)
        except DamagedMarkup:
            # The earlier markup did not end, so this line starts markup of its own.
            with suppress(DamagedMarkup):
                _, self._within = open_markup(line, root)
            return False


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
