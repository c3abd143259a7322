"""Reads the records of a file in order: joins rows and markup over several records, and separates markup from rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from cqa_spark.corpora.stackexchange.markup import Construct, DamagedMarkup, open_markup, skip
from cqa_spark.corpora.stackexchange.records import Outcome, Record, parse

MOST_JOINS = 2
"""Maximum number of times that lines are joined and parsed again, so that the cost of damage is linear in its size."""

LONGEST_MARKUP = 1 << 26
"""Bytes of a comment over several lines above which it counts as one that does not end."""


def recover(records: Iterable[Record], root: str) -> Iterator[Outcome]:
    """Parse records one by one; join a record that only starts a row, or markup, with those that follow.

    Args:
        records: by file, in file order; gaps between them are ignored.
        root: the element around the rows.
    """
    waiting: list[tuple[Record, Outcome]] = []
    quotes = joins = 0
    for record in _separated(records, root):
        outcome = parse(record, root)
        if waiting and not _goes_on(waiting[-1][0], record):
            yield from (each for _, each in waiting)
            waiting = []
        if waiting:
            waiting.append((record, outcome))
            quotes += record.raw.count(b'"')
            # An odd number of quotes means an open value. A closed row that does not parse is damaged.
            if quotes % 2 == 0 and joins < MOST_JOINS and record.raw.rstrip().endswith(b">"):
                joins += 1
                joined = parse(_join([each for each, _ in waiting]), root)
                if joined.attributes is not None:
                    yield joined
                    waiting = []
        elif outcome.problem and _starts_row(record):
            waiting, quotes, joins = [(record, outcome)], record.raw.count(b'"'), 0
        else:
            yield outcome
    yield from (each for _, each in waiting)


def _separated(records: Iterable[Record], root: str) -> Iterator[Record]:
    """Join the records of markup; separate it from a row before it, and from what follows it on its last line.

    If it does not end, its first record remains as it is, and the others are read as if it had not started.
    """
    source, ahead = iter(records), deque[Record]()
    while (first := _next(source, ahead)) is not None:
        try:
            start, within = open_markup(first.raw, root)
        except DamagedMarkup:
            within = None
        if within is None:
            yield first
            continue
        span, end = _span_of_markup(first, within, root, source, ahead)
        if end is None:
            yield first
            ahead.extendleft(reversed(span[1:]))
            continue
        *inner, last = span
        if start:
            yield Record(first.file, first.offset, start, first.raw[:start])
            inner[0] = Record(first.file, first.offset + start, first.length - start, first.raw[start:], records=0)
        if last.raw[end:].strip():
            ahead.appendleft(Record(last.file, last.offset + end, last.length - end, last.raw[end:]))
            last = Record(last.file, last.offset, end, last.raw[:end], records=0)
        yield _join([*inner, last])


def _span_of_markup(
    first: Record, within: Construct, root: str, source: Iterator[Record], ahead: deque[Record]
) -> tuple[list[Record], int | None]:
    """The records from the first to the one where its markup ends, and the end in that; None if it does not end."""
    span, size = [first], 0
    while size <= LONGEST_MARKUP and (record := _next(source, ahead)) is not None:
        span.append(record)
        size += record.length
        if not _follows(span[-2], record):
            break
        try:
            end, left_open = skip(record.raw, root, within=within)
        except DamagedMarkup:
            break
        if left_open is None:
            return span, end
        within = left_open
    return span, None


def _next(source: Iterator[Record], ahead: deque[Record]) -> Record | None:
    return ahead.popleft() if ahead else next(source, None)


def _starts_row(record: Record) -> bool:
    text = record.raw.strip()
    return text.startswith(b"<row") and not text.endswith((b"/>", b"</row>"))


def _goes_on(last: Record, record: Record) -> bool:
    text = record.raw.lstrip()
    # Values contain no "<", so a record that starts with one cannot continue a row, except for its closing tag.
    return _follows(last, record) and (not text.startswith(b"<") or text.startswith(b"</row"))


def _follows(last: Record, record: Record) -> bool:
    return last.file == record.file and last.offset + last.length == record.offset


def _join(records: list[Record]) -> Record:
    first, last = records[0], records[-1]
    # A line end stands for the separator of the file's lines.
    raw = b"".join(record.raw + b"\n" * (record.length - len(record.raw)) for record in records[:-1]) + last.raw
    length = sum(record.length for record in records)
    return Record(first.file, first.offset, length, raw, sum(record.records for record in records))
