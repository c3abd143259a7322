"""Reads what the scanner leaves: joins rows and markup over several records, and separates markup from rows."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cqa_spark.corpora.stackexchange.markup import CDATA, SUBSET, Construct, DamagedMarkup, open_markup, skip
from cqa_spark.corpora.stackexchange.records import Outcome, parse

MOST_JOINS = 2
"""Maximum number of times that lines are joined and parsed again, so that the cost of damage is linear in its size."""

LONGEST = 1 << 26
"""Bytes of a record, or of a comment or row over several, above which it counts as one that does not end."""

_CDATA = b"<![CDATA["


class RawRow(NamedTuple):
    """The text between two separators: its end, and the start of the next record."""

    stop: int
    following: int


@dataclass(frozen=True)
class Records:
    """The records of a text.

    Attributes:
        text: a part of a file.
        separator: a line end, or the start of the tag of a row, which belongs to the record after it.
        at_end: whether the file ends with the text.
        root: the element around the rows.
        base: byte offset of the text in its file.
        searched: by construct, bytes of the file in which it does not end. What opens it there is not searched again,
            because each of many lines that open it would cost a search up to the end of the text.
    """

    text: bytes
    separator: bytes
    at_end: bool
    root: str
    base: int = 0
    searched: dict[Construct, range] = field(default_factory=dict)

    @property
    def are_lines(self) -> bool:
        """Whether the separator is a line end."""
        return len(self.separator) == 1

    def at(self, start: int) -> RawRow | None:
        """The record at a position; None if the text does not show its end."""
        end = self.text.find(self.separator, start if self.are_lines else start + 1)
        if end < 0:
            return RawRow(len(self.text), len(self.text)) if self.at_end else None
        return RawRow(end, end + self.are_lines)


class Recovery(NamedTuple):
    """What stands at a position.

    Attributes:
        outcomes: the outcomes, in order.
        end: position after them: the start of a record, or of the rest of a line after a comment.
    """

    outcomes: list[Outcome]
    end: int


class NotEnoughText(Exception):
    """A record, row or comment does not end in the text, and may end in what follows it in the file."""


def recover(records: Records, start: int) -> Recovery:
    """Read a record, with those that follow it if it only starts a row or a comment.

    A row or comment that does not end costs its first record; the others are read as if it had not started.

    Args:
        records: the records of a text.
        start: position of the record.

    Raises:
        NotEnoughText: it does not end in the text, which is neither the file's last nor longer than ``LONGEST``.
    """
    record = records.at(start)
    if record is None:
        raise NotEnoughText
    raw = records.text[start : record.stop]
    try:
        after_row, within = open_markup(raw, records.root)
    except DamagedMarkup:
        after_row, within = 0, None
    if within is not None:
        end = _end_of_markup(records, start, record, within)
        if end is not None:
            return _separated(records, start, start + after_row, end)
    outcome = parse(raw, records.root, records.base + start)
    if outcome.problem and _opens_cdata(raw, records.root) and not CDATA.stop.search(raw):
        end = _end_of_markup(records, start, record, CDATA)
        if end is not None:
            return _separated(records, start, start, end, refusal=outcome)
    if outcome.problem and _starts_row(raw):
        joined = _joined(records, start, record)
        if joined is not None:
            return joined
    return Recovery([outcome], record.following)


class _End(NamedTuple):
    """The end of markup: its position, and the number of records up to the one where it ends, which follow the first.

    Attributes:
        position: position after the markup.
        last: the record where it ends.
        following: number of records after the first.
    """

    position: int
    last: RawRow
    following: int


def _end_of_markup(records: Records, start: int, first: RawRow, within: Construct) -> _End | None:
    """The end of markup that the first record leaves open; None if it does not end."""
    text, base, position = records.text, records.base, first.following
    while True:
        searched = records.searched.get(within, range(0))
        if base + position in searched:
            position = searched.stop - base
        record = _next(records, start, position)
        if record is None:
            return None
        stop = within.stop.search(text, position, record.stop)
        if stop is None:
            begin = searched.start if searched.stop == base + position else base + position
            records.searched[within] = range(begin, base + record.following)
            position = record.following
        elif stop.lastgroup == "subset":
            within, position = SUBSET, stop.end()
        elif stop.lastgroup is None:
            return None
        else:
            separators = text.count(records.separator, first.following, stop.end())
            return _End(stop.end(), record, separators + records.are_lines)


def _separated(
    records: Records, start: int, start_of_markup: int, end: _End, refusal: Outcome | None = None
) -> Recovery:
    """The row before markup, and the markup; text after it, on its last line, is a record of its own."""
    text, base, outcomes = records.text, records.base, []
    has_row, has_rest = start_of_markup > start, bool(text[end.position : end.last.stop].strip())
    if has_row:
        outcomes.append(parse(text[start:start_of_markup], records.root, base + start))
    stop = end.position if has_rest else end.last.stop
    markup = Outcome(base + start_of_markup, 1 + end.following - has_row - has_rest, text[start_of_markup:stop])
    outcomes.append(replace(markup, problem=refusal.problem) if refusal else markup)
    return Recovery(outcomes, stop if has_rest else end.last.following)


def _joined(records: Records, start: int, first: RawRow) -> Recovery | None:
    """The row that a record starts, joined from several; None if it does not end."""
    text, position = records.text, first.following
    quotes, joins, count = text.count(b'"', start, first.stop), 0, 1
    while joins < MOST_JOINS and (record := _next(records, start, position)) is not None:
        raw = text[position : record.stop]
        if not _goes_on(raw):
            return None
        count += 1
        quotes += raw.count(b'"')
        # An odd number of quotes means an open value. A closed row that does not parse is damaged.
        if quotes % 2 == 0 and raw.rstrip().endswith(b">"):
            joins += 1
            outcome = parse(text[start : record.stop], records.root, records.base + start, count)
            if outcome.attributes is not None:
                return Recovery([outcome], record.following)
        position = record.following
    return None


def _next(records: Records, start: int, position: int) -> RawRow | None:
    """The record at a position; None if the text ends there, or what starts at another position is too long.

    Raises:
        NotEnoughText: the text after this one is needed.
    """
    is_too_long = position - start > LONGEST
    record = None if is_too_long or position == len(records.text) else records.at(position)
    if record is None and not (is_too_long or records.at_end or len(records.text) - start > LONGEST):
        raise NotEnoughText
    return record


def _opens_cdata(raw: bytes, root: str) -> bool:
    try:
        return raw.startswith(_CDATA, skip(raw, root)[0])
    except DamagedMarkup:
        return False


def _starts_row(raw: bytes) -> bool:
    text = raw.strip()
    return text.startswith(b"<row") and not text.endswith((b"/>", b"</row>"))


def _goes_on(raw: bytes) -> bool:
    text = raw.lstrip()
    # Values contain no "<", so a record that starts with one cannot continue a row, except for its closing tag.
    return not text.startswith(b"<") or text.startswith(b"</row")
