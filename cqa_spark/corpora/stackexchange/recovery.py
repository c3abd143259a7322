"""Reads the records that the scanner leaves: the rows in them, their markup, or a reason why they are refused.

A record is a line, or the text from one row's tag to the next. A row, comment or other construct may take several. The
parser gets the text of one row; what may stand around it is removed before (``markup.py``).
"""

import re
import sys
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import NamedTuple

from lxml import etree

from cqa_spark.corpora.stackexchange.markup import (
    CDATA,
    SUBSET,
    Construct,
    DamagedMarkup,
    end_of_row,
    open_markup,
    skip,
)

ROW = "row"
OUTSIDE = "there is text outside of any row"
DOCUMENT_TYPE = "there is a document type within the row"
MOST_ATTRIBUTES = 1000

MOST_JOINS = 2
"""Maximum number of times that lines are joined and parsed again, so that the cost of damage is linear in its size."""

LONGEST = 1 << 26
"""Bytes of a record, or of a comment or row over several, above which it counts as one that does not end."""

CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f"
BLOCK = 0x20
PRIVATE_USE = range(0x100000, 0x10FFE0, BLOCK)
"""XML forbids control characters, but dumps contain them. For the parser, they are replaced by private-use characters:
by those of the first block of 32 that the row does not use."""

_CDATA = b"<![CDATA["
_attribute = re.compile(rb"""(?<=\s)[^\s=<>"']++\s*+=\s*+(?:"[^"]*+"|'[^']*+')""")
_control = re.compile(f"[{CONTROLS}]")
_reference = re.compile(r"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_private_use = re.compile(f"[{chr(PRIVATE_USE[0])}-{chr(PRIVATE_USE[-1] + BLOCK - 1)}]")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one or several records: a row, a problem, or, if both are None, neither.

    Attributes:
        offset: byte offset of the first record.
        records: number of records, such as lines, that it covers; 0 for a part of one that another outcome covers.
        raw: their bytes.
        attributes: the row's attributes, references resolved.
        problem: reason for the refusal.
    """

    offset: int
    records: int
    raw: bytes
    attributes: dict[str, str] | None = field(default=None)
    problem: str | None = field(default=None)

    @property
    def text(self) -> str:
        r"""The text of the records; bytes that are not UTF-8 as ``\xNN``."""
        return self.raw.decode("utf-8", "backslashreplace")


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
    # A CDATA section is damage between rows, and what stands in it is no row: all its records are one refusal.
    if outcome.problem and _opens_cdata(raw, records.root) and not CDATA.stop.search(raw):
        end = _end_of_markup(records, start, record, CDATA)
        if end is not None:
            return _separated(records, start, start, end, refusal=outcome)
    is_open_row = raw.strip().startswith(b"<row") and not raw.strip().endswith((b"/>", b"</row>"))
    if outcome.problem and is_open_row:
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
        # Go on behind what was searched before, which an earlier record that opens the same construct reached.
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
            # A document type ends after its subset, "[ … ]>".
            within, position = SUBSET, stop.end()
        elif stop.lastgroup is None:
            # Another of its kind starts in it, which shows that it did not end.
            return None
        else:
            separators = text.count(records.separator, first.following, stop.end())
            return _End(stop.end(), record, separators + records.are_lines)


def _separated(
    records: Records, start: int, start_of_markup: int, end: _End, refusal: Outcome | None = None
) -> Recovery:
    """The row before markup, and the markup; text after it, on its last line, is a record of its own."""
    text, base, outcomes = records.text, records.base, []
    has_row, has_text_after = start_of_markup > start, bool(text[end.position : end.last.stop].strip())
    if has_row:
        outcomes.append(parse(text[start:start_of_markup], records.root, base + start))
    stop = end.position if has_text_after else end.last.stop
    markup = Outcome(base + start_of_markup, 1 + end.following - has_row - has_text_after, text[start_of_markup:stop])
    outcomes.append(replace(markup, problem=refusal.problem) if refusal else markup)
    return Recovery(outcomes, stop if has_text_after else end.last.following)


def _joined(records: Records, start: int, first: RawRow) -> Recovery | None:
    """The row that a record starts, joined from several; None if it does not end."""
    text, position = records.text, first.following
    quotes, joins, count = text.count(b'"', start, first.stop), 0, 1
    while joins < MOST_JOINS and (record := _next(records, start, position)) is not None:
        raw = text[position : record.stop]
        # Values contain no "<", so a record that starts with one cannot continue a row, except for its closing tag.
        if raw.lstrip().startswith(b"<") and not raw.lstrip().startswith(b"</row"):
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


def parse(raw: bytes, root: str, offset: int = 0, records: int = 1) -> Outcome:
    """Read one record.

    Args:
        raw: normally one row.
        root: the element around the rows.
        offset: byte offset of the record.
        records: number of records that it was joined from.
    """
    try:
        return Outcome(offset, records, raw, _row(raw, root))
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of the row is not UTF-8"
    except etree.XMLSyntaxError as error:
        # Lines are counted in the row, whose file has others; so only the column tells something.
        problem = re.sub(r", line \d+, column (\d+).*", r", column \1", str(error.msg), flags=re.DOTALL)
    except ValueError as error:
        problem = str(error)
    return Outcome(offset, records, raw, problem=problem)


def _row(raw: bytes, root: str) -> dict[str, str] | None:
    """The attributes of a row; None for text between rows."""
    text = _without_surroundings(raw, root)
    if not text:
        return None
    if not text.startswith(b"<"):
        raise ValueError(OUTSIDE)
    # The parser would expand entities declared by a document type; a few of them can exhaust memory.
    if b"<!DOCTYPE" in text:
        raise ValueError(DOCUMENT_TYPE)
    # The parser compares each attribute of an element with all others.
    if sum(1 for _ in islice(_attribute.finditer(text), MOST_ATTRIBUTES + 1)) > MOST_ATTRIBUTES:
        raise ValueError(f"the row has more than {MOST_ATTRIBUTES:,} attributes")
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
    decoded = text.decode("utf-8")
    stand_in = _unused_block(decoded)
    hidden = decoded if stand_in is None else _hide_controls(decoded, stand_in)
    element = etree.fromstring(hidden.encode(), parser)
    if element.tag != ROW:
        raise ValueError(f"<{element.tag}> is not a row")
    if len(element) or (element.text or "").strip():
        raise ValueError("the row element is not empty")
    attributes = {str(name): str(value) for name, value in element.attrib.items()}
    if stand_in is not None and hidden != decoded:
        stand_ins = re.compile(f"[{chr(stand_in)}-{chr(stand_in + BLOCK - 1)}]")
        for name, value in attributes.items():
            attributes[name] = stand_ins.sub(lambda character: chr(ord(character[0]) - stand_in), value)
    return attributes


def _without_surroundings(raw: bytes, root: str) -> bytes:
    """Remove what may stand before a row and after it; what is after a damaged row remains."""
    start, within = skip(raw, root)
    if within is not None:
        raise ValueError(f"a {within.name} does not end")
    end = end_of_row(raw, start)
    is_alone = end is not None and skip(raw, root, end) == (len(raw), None)
    return raw[start:end] if is_alone else raw[start:].rstrip()


def _unused_block(text: str) -> int | None:
    """The start of a block of private-use characters of which the text has none, neither itself nor as a reference."""
    characters = chain(_private_use.findall(text), map(_character, _reference.finditer(text)))
    used = {ord(character) // BLOCK for character in characters if character}
    return next((start for start in PRIVATE_USE if start // BLOCK not in used), None)


def _hide_controls(text: str, stand_in: int) -> str:
    """Replace control characters, and references to them, by stand-ins."""

    def hide_reference(reference: re.Match[str]) -> str:
        character = _character(reference)
        return chr(stand_in + ord(character)) if _control.match(character) else reference[0]

    return _control.sub(lambda control: chr(stand_in + ord(control[0])), _reference.sub(hide_reference, text))


def _character(reference: re.Match[str]) -> str:
    """The character of a reference; empty if it is not a character."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    return chr(code) if code <= sys.maxunicode else ""
