"""Parses records that the scanner leaves to an XML parser, or refuses them with a reason."""

import re
import sys
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from cqa_spark.corpora.stackexchange.markup import end_of_row, skip

ROW = "row"
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f"
# XML forbids control characters, but dumps contain them. Before parsing, they are replaced by private-use characters.
STAND_IN = 0x10F000
MOST_ATTRIBUTES = 1000
OUTSIDE = "there is text outside of any row"
DOCUMENT_TYPE = "there is a document type within the row"

_attribute = re.compile(rb"""(?<=\s)[^\s=<>"']++\s*+=\s*+(?:"[^"]*+"|'[^']*+')""")
_control = re.compile(f"[{CONTROLS}]")
_reference = re.compile(r"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_stand_in = re.compile(f"[{chr(STAND_IN)}-{chr(STAND_IN + 0x1F)}]")


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
        problem = _reason(error)
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
    """Remove what may stand before a row and after it; what is after a damaged row remains."""
    start, within = skip(raw, root)
    if within is not None:
        raise ValueError(f"a {within.name} does not end")
    end = end_of_row(raw, start)
    is_alone = end is not None and skip(raw, root, end) == (len(raw), None)
    return raw[start:end] if is_alone else raw[start:].rstrip()


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
