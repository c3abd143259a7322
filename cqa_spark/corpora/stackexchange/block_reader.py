"""Reads the text of a file block by block: the scanner's rows, and what a parser makes of all other lines.

The scanner finds the rows of a block, and their values become columns. A parser gets the other lines, and the rows with
a value of an unusual form; of what it reads, too, the rows become columns, and the rest is refused with a reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from cqa_spark.corpora.stackexchange.markup import Construct
from cqa_spark.corpora.stackexchange.probe import BYTE_ORDER_MARK, RowLayout
from cqa_spark.corpora.stackexchange.recovery import LONGEST, NotEnoughText, Outcome, Records, recover
from cqa_spark.corpora.stackexchange.scanner import Positions, Scanner
from cqa_spark.corpora.stackexchange.tables import ROW_ID, UNKNOWN, DumpTable
from cqa_spark.corpora.stackexchange.typed_columns import (
    ARROW_TYPES,
    UNKNOWN_TYPE,
    AttributeColumns,
    Flags,
    RowColumns,
)
from cqa_spark.corpora.stackexchange.values import Unfit, Value, value
from cqa_spark.errors import ContractError

BLOCK = 4 << 20
"""Bytes that are read at a time: so many stay in a processor's cache until they are columns."""

MARGIN = 1 << 18
"""Bytes that are read beyond a range, for the end of its last line."""

SHOWN_BYTES = 1 << 16
"""Bytes of a record that is too long which go to quarantine."""

MOST_OUTCOMES = 10_000
"""Outcomes of the parser in a block of a file whose rows are not on lines."""

SHOWN_CHARACTERS = 40
"""Characters of a value that a reason quotes."""

Span = tuple[int, int]


class Stream(Protocol):
    """Bytes, one after the other."""

    def read(self, size: int, /) -> bytes:
        """The next bytes; fewer than ``size`` only at the end."""


class Block(NamedTuple):
    """Some lines of a file.

    Attributes:
        lines: number of lines.
        rows: the rows in them: those of the scanner, then those of the parser.
        refused: records that are no rows.
    """

    lines: int
    rows: list[AttributeColumns]
    refused: list[Outcome]


@dataclass
class BlockReader:
    """Reads the lines of a file that start in a range of bytes, and what they start beyond it.

    Attributes:
        stream: the bytes of the file from ``start`` on; from the byte before, if no line is known to start there.
        dump: the kind of rows.
        root: the element around the rows.
        layout: how rows are laid out.
        start: byte offset of the range.
        stop: byte offset of its end; None for that of the file.
        is_line_start: whether a line starts at ``start``.
        begin: byte offset of the first line; None before it was read, and if no line starts in the range.
        end: byte offset after the last line that was read.
    """

    stream: Stream
    dump: DumpTable
    root: str
    layout: RowLayout
    start: int = 0
    stop: int | None = None
    is_line_start: bool = True
    begin: int | None = field(default=None, init=False)
    _text: bytes = field(default=b"", init=False, repr=False)
    _base: int = field(default=0, init=False)
    _position: int = field(default=0, init=False)
    _at_end: bool = field(default=False, init=False)
    _searched: dict[Construct, range] = field(default_factory=dict, init=False, repr=False)

    @property
    def end(self) -> int:
        """Byte offset after the last line that was read."""
        return self._base + self._position

    def blocks(self) -> Iterator[Block]:
        """Read the lines, in blocks of at most ``MOST_LINES``."""
        scanner = Scanner(list(self.dump.attributes))
        self._base = self.start - (not self.is_line_start)
        if not self.is_line_start and not self._skip_record():
            return
        if self.start == 0:
            self._read_more()
            self._position = len(BYTE_ORDER_MARK) * self._text.startswith(BYTE_ORDER_MARK)
        self.begin = self.end
        while self._is_in_range():
            block = self._parsed() if self.layout is RowLayout.ROW_OVER_LINES else self._scanned(scanner)
            if block is None and not self._is_too_long():
                self._read_more()
            else:
                yield self._refuse_long_record() if block is None else block

    def text_of(self, start: int, stop: int) -> str:
        r"""The text between two byte offsets of the last block; bytes that are not UTF-8 as ``\xNN``."""
        return self._text[start - self._base : stop - self._base].decode("utf-8", "backslashreplace")

    @property
    def _separator(self) -> bytes:
        return self.layout.value.encode()

    def _is_in_range(self) -> bool:
        is_in_text = self._position < len(self._text) or not self._at_end
        return is_in_text and (self.stop is None or self.end < self.stop)

    def _read_more(self) -> None:
        """Drop the text before the position, and read more behind the rest."""
        self._text, self._base, self._position = self._text[self._position :], self.end, 0
        size = BLOCK
        if self.stop is not None:
            size = min(BLOCK, max(MARGIN, self.stop + MARGIN - self._base - len(self._text)))
        # What is left is the start of a long record: as much again keeps the cost of scanning it again linear.
        if size < len(self._text) <= LONGEST // 2:
            size = len(self._text)
        more = self.stream.read(size)
        self._at_end = len(more) < size
        self._text += more

    def _skip_record(self) -> bool:
        """Go to the start of the next record; return whether it is in the range."""
        while self._is_in_range():
            self._read_more()
            separator = self._text.find(self._separator, self._position)
            if separator >= 0:
                # A line end belongs to the line before it, the start of a row's tag to the row.
                self._position = separator + (self.layout is not RowLayout.ROW_OVER_LINES)
                return self._is_in_range()
            # A separator of several bytes may start at the end of the text.
            self._position = len(self._text) if self._at_end else max(0, len(self._text) - len(self._separator) + 1)
        return False

    def _is_too_long(self) -> bool:
        return not self._at_end and len(self._text) - self._position > LONGEST

    def _refuse_long_record(self) -> Block:
        raw = self._text[self._position : self._position + SHOWN_BYTES]
        refusal = Outcome(self.end, 1, raw, problem=f"the row has more than {LONGEST:,} bytes")
        self._position += len(self._separator)
        # The record may end beyond the range, whose last line it is.
        stop, self.stop = self.stop, None
        self._skip_record()
        self.stop = stop
        return Block(1, [], [refusal])

    def _scanned(self, scanner: Scanner) -> Block | None:
        """The lines that the text has; None if it has none."""
        text, start, separator = self._text, self._position, self._separator
        # ``complete`` is the end of the last line that is to be scanned: the last that ends in the text, or the one in
        # which the range ends; a line that starts at the end of the range is not in it.
        complete = len(text) if self._at_end else text.rfind(separator, start) + 1
        if self.stop is not None and self.stop - self._base < complete:
            complete = text.find(separator, self.stop - self._base - 1) + 1 or complete
        if complete <= start:
            return None
        scan = scanner.scan(text, start, complete, separator[0])
        rows = RowColumns(self.dump, text, scan)
        # From a suspect line on, the parser may take further lines, even sound rows: those within a comment.
        suspects = np.sort(np.concatenate([scan.suspect, scan.rows[~rows.fits, 0]]))
        outcomes, claimed, end = self._recovered(suspects.tolist(), scan.end)
        if end == start:
            return None
        is_sound = rows.fits & _is_outside(scan.rows[:, 0], claimed, end)
        blank = int(_is_outside(scan.blank, claimed, end).sum())
        has_open_line = end == len(text) and not text.endswith(separator)
        lines = text.count(separator, start, end) + has_open_line
        if lines != is_sound.sum() + blank + sum(outcome.records for outcome in outcomes):
            raise ContractError(
                f"bytes {self.end:,} to {self._base + end:,}: not all of the {lines:,} lines were read",
                "keep the file and report it: the reader does not support its layout",
            )
        spans = scan.rows[is_sound].astype(np.int64) + self._base
        self._position = end
        sound = AttributeColumns(rows.columns(is_sound), rows.ids[is_sound], spans)
        parsed, refused = _parsed_rows(self.dump, outcomes)
        return Block(lines, [part for part in (sound, parsed) if len(part.ids)], refused)

    def _recovered(self, suspects: list[int], end: int) -> tuple[list[Outcome], list[Span], int]:
        """What a parser makes of lines.

        Args:
            suspects: the positions of lines, in order.
            end: the position after the last line that was scanned.

        Returns:
            The outcomes; the spans of those that cover several lines; the position after the last line that was read.
        """
        records, separator = self._records(), self._separator
        outcomes: list[Outcome] = []
        claimed: list[Span] = []
        position = self._position
        for suspect in suspects:
            if suspect < position:
                continue  # the parser took it with an earlier one
            position = suspect
            try:
                # An outcome may end within a line, after a comment: what follows it on the line is read, too.
                while position == suspect or not self._text.startswith(separator, position - 1):
                    recovery = recover(records, position)
                    outcomes += recovery.outcomes
                    position = recovery.end
                    if position == len(self._text):
                        break
            except NotEnoughText:
                # The block ends here, and the next one starts with what does not end in this text.
                claimed.append((suspect, position))
                return outcomes, claimed, position
            claimed.append((suspect, position))
        return outcomes, claimed, max(end, position)

    def _records(self) -> Records:
        return Records(self._text, self._separator, self._at_end, self.root, self._base, self._searched)

    def _parsed(self) -> Block | None:
        """The records that the text has, all of them read by the parser; None if it has none."""
        records = self._records()
        outcomes: list[Outcome] = []
        start = self._position
        while len(outcomes) < MOST_OUTCOMES and self._position < len(self._text):
            try:
                recovery = recover(records, self._position)
            except NotEnoughText:
                break
            outcomes += recovery.outcomes
            self._position = recovery.end
        if self._position == start:
            return None
        parsed, refused = _parsed_rows(self.dump, outcomes)
        return Block(sum(outcome.records for outcome in outcomes), [parsed] if len(parsed.ids) else [], refused)


def _is_outside(starts: Positions, claimed: list[Span], end: int) -> Flags:
    """Whether positions are before the end and in none of some spans, which are in order."""
    if not claimed:
        return starts < end
    spans = np.array(claimed)
    # The last span that starts at a position or before it is the only one that may cover it.
    before = np.searchsorted(spans[:, 0], starts, "right") - 1
    return (starts < end) & ((before < 0) | (starts >= spans[before, 1]))


def _parsed_rows(dump: DumpTable, outcomes: Iterable[Outcome]) -> tuple[AttributeColumns, list[Outcome]]:
    """The rows among outcomes of the parser, and the records that are refused: values of rows may not fit, too."""
    values, unknown, spans, refused = [], [], [], []
    for outcome in outcomes:
        if outcome.attributes is not None:
            try:
                values.append(_values(dump, outcome.attributes))
            except Unfit as error:
                refused.append(replace(outcome, problem=str(error)))
                continue
            unknown.append({name: text for name, text in outcome.attributes.items() if name not in dump.attributes})
            spans.append((outcome.offset, outcome.offset + len(outcome.raw)))
        elif outcome.problem is not None:
            refused.append(outcome)
    ids = np.array([int(str(row[dump.attributes[ROW_ID]])) for row in values], np.int64)
    return AttributeColumns(columns_of(dump, values, unknown), ids, np.array(spans, np.int64).reshape(-1, 2)), refused


def columns_of(
    dump: DumpTable, rows: Sequence[Mapping[str, object]], unknown: Sequence[Mapping[str, str]]
) -> dict[str, pa.Array]:
    """The columns of rows that a parser has read.

    Args:
        dump: the kind of rows.
        rows: their values, by column.
        unknown: their attributes without a declared name.
    """
    columns = {
        column: pa.array([row.get(column) for row in rows], ARROW_TYPES[dump.kinds[column]])
        for column in dump.attributes.values()
    }
    maps = [list(attributes.items()) or None for attributes in unknown]
    return {**columns, UNKNOWN: pa.array(maps, UNKNOWN_TYPE)}


def _values(dump: DumpTable, attributes: Mapping[str, str]) -> dict[str, Value]:
    """The values of a row that a parser has read, by column.

    Raises:
        Unfit: a value is missing, or does not fit its column; the message says which.
    """
    values: dict[str, Value] = {}
    problem = ""
    for attribute, column in dump.attributes.items():
        kind, text = dump.kinds[column], attributes.get(attribute)
        try:
            values[column] = None if text is None else value(text, kind)
        except Unfit:
            problem = problem or f"{attribute} is no {kind.value}: {str(text)[:SHOWN_CHARACTERS]}"
    for attribute in dump.required:
        if values.get(dump.attributes[attribute], "") is None:
            raise Unfit(f"{attribute} is missing")
    if problem:
        raise Unfit(problem)
    return values
