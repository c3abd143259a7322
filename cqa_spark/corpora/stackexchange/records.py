"""Parses records that the fast path cannot read with an XML parser, or refuses them with a reason."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from lxml import etree

ROW = "row"
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f"
# XML forbids control characters, but dumps contain them. Before parsing, they are replaced by private-use characters.
STAND_IN = 0x10F000
OUTSIDE = "there is text outside of any row"
DOCUMENT_TYPE = "there is a document type within the row"
# Text allowed before rows and between them. A document type may span several lines. A file has only one, so searching
# for its end does not make matching quadratic.
MARKUP = rb"<\?xml[^<]*\?>|\]\s*+>|<!(?:ENTITY|ELEMENT|ATTLIST|NOTATION)\b[^<]*>|<!--.*?-->"
DECLARED_TYPE = rb"<!DOCTYPE[^<>\[]*+(?:>|\[(?:.*?\]\s*+>)?+)"

_control = re.compile(f"[{CONTROLS}]")
_reference = re.compile(r"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_stand_in = re.compile(f"[{chr(STAND_IN)}-{chr(STAND_IN + 0x1F)}]")


MOST_JOINS = 2
"""Maximum number of times that lines are joined and parsed again, so that the cost of damage is linear in its size."""


@dataclass(frozen=True)
class Record:
    """The text between two separators.

    Attributes:
        file: number of its file.
        offset: byte offset in the file.
        length: bytes up to the start of the next record.
        raw: its bytes without the separator.
    """

    file: int
    offset: int
    length: int
    raw: bytes


@dataclass(frozen=True)
class Outcome:
    r"""The outcome of one or several records: a row, a problem, or, if both are None, neither.

    Attributes:
        file: number of the file.
        offset: byte offset of the first record.
        records: number of records joined.
        raw: their text; bytes that are not UTF-8 as ``\xNN``.
        attributes: the row's attributes, escapes resolved.
        problem: reason for the refusal.
    """

    file: int
    offset: int
    records: int
    raw: str
    attributes: dict[str, str] | None = field(default=None)
    problem: str | None = field(default=None)


def recover(records: Iterable[Record], root: str) -> Iterator[Outcome]:
    """Parse records one by one; join a record that only starts a row with those that follow.

    Args:
        records: by file, in file order; gaps between them are ignored.
        root: the element around the rows.
    """
    waiting: list[tuple[Record, Outcome]] = []
    quotes = joins = 0
    for record in records:
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
                joined = parse(_join([each for each, _ in waiting]), root, records=len(waiting))
                if joined.attributes is not None:
                    yield joined
                    waiting = []
        elif outcome.problem and _starts_row(record):
            waiting, quotes, joins = [(record, outcome)], record.raw.count(b'"'), 0
        else:
            yield outcome
    yield from (each for _, each in waiting)


def parse(record: Record, root: str, records: int = 1) -> Outcome:
    """Read one record.

    Args:
        record: normally one row.
        root: the element around the rows.
        records: number of records joined into this one.
    """
    try:
        attributes, problem = _row(record.raw, root), None
    except UnicodeDecodeError as error:
        attributes, problem = None, f"byte {error.start + 1} of the row is not UTF-8"
    except etree.XMLSyntaxError as error:
        attributes, problem = None, _reason(error)
    except ValueError as error:
        attributes, problem = None, str(error)
    shown = record.raw.decode("utf-8", "backslashreplace")
    return Outcome(record.file, record.offset, records, shown, attributes, problem)


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
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
    decoded = text.decode("utf-8")
    hidden = _hide_controls(decoded)
    element = etree.fromstring(hidden.encode(), parser)
    if element.tag != ROW:
        raise ValueError(f"<{element.tag}> is not a row")
    if len(element) or (element.text or "").strip():
        raise ValueError("the row element is not empty")
    attributes = {str(name): str(value) for name, value in element.attrib.items()}
    if hidden == decoded:
        return attributes
    return {name: _show_controls(value) for name, value in attributes.items()}


def _without_surroundings(raw: bytes, root: str) -> bytes:
    """Remove the root's tags and other text allowed around rows."""
    before = before_row(root).match(raw)
    assert before is not None, "nothing is a match, too"
    return re.sub(rb"(?i)</%b\s*>\Z" % root.encode(), b"", raw[before.end() :].rstrip()).rstrip()


@cache
def before_row(root: str) -> re.Pattern[bytes]:
    """The pattern of the text allowed before a row on its line."""
    tags = rb"</?%b(?:\s[^<>]*)?/?>" % root.encode()
    markup = rb"(?:(?:%b|%b)\s*+)*+" % (tags, MARKUP)
    return re.compile(rb"(?is)\s*+%b(?:%b\s*+%b)?+" % (markup, DECLARED_TYPE, markup))


def _hide_controls(text: str) -> str:
    """Replace control characters by stand-ins; the same text if it holds none, or holds a stand-in itself."""
    if _stand_in.search(text) or any(_stand_in.match(_character(found)) for found in _reference.finditer(text)):
        return text
    references = _reference.sub(_hide_reference, text)
    return _control.sub(lambda found: chr(STAND_IN + ord(found[0])), references)


def _hide_reference(found: re.Match[str]) -> str:
    character = _character(found)
    return chr(STAND_IN + ord(character)) if _control.match(character) else found[0]


def _character(reference: re.Match[str]) -> str:
    """The character of a reference; empty if it is not a character."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    return chr(code) if code <= sys.maxunicode else ""


def _show_controls(text: str) -> str:
    return _stand_in.sub(lambda found: chr(ord(found[0]) - STAND_IN), text)


def _reason(error: etree.XMLSyntaxError) -> str:
    return re.sub(r", line \d+, column (\d+).*", r", column \1", str(error.msg), flags=re.DOTALL)


def _starts_row(record: Record) -> bool:
    text = record.raw.strip()
    return text.startswith(b"<row") and not text.endswith((b"/>", b"</row>"))


def _goes_on(last: Record, record: Record) -> bool:
    follows = last.file == record.file and last.offset + last.length == record.offset
    text = record.raw.lstrip()
    # Values contain no "<", so a record that starts with one cannot continue a row, except for its closing tag.
    return follows and (not text.startswith(b"<") or text.startswith(b"</row"))


def _join(records: list[Record]) -> Record:
    first = records[0]
    length = sum(record.length for record in records)
    return Record(first.file, first.offset, length, b"\n".join(record.raw for record in records))
