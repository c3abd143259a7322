"""Parses records that the scanner leaves to an XML parser, or refuses them with a reason."""

import re
import sys
from dataclasses import dataclass, field
from itertools import chain, islice

from lxml import etree

from cqa_spark.corpora.stackexchange.markup import end_of_row, skip

ROW = "row"
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f"
# XML forbids control characters, but dumps contain them. Before parsing, they are replaced by private-use characters:
# by the first block of 32 that the row does not use.
BLOCK = 0x20
PRIVATE_USE = range(0x100000, 0x10FFE0, BLOCK)
MOST_ATTRIBUTES = 1000
OUTSIDE = "there is text outside of any row"
DOCUMENT_TYPE = "there is a document type within the row"

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
    stand_in = _unused_block(decoded)
    hidden = decoded if stand_in is None else _hide_controls(decoded, stand_in)
    element = etree.fromstring(hidden.encode(), parser)
    if element.tag != ROW:
        raise ValueError(f"<{element.tag}> is not a row")
    if len(element) or (element.text or "").strip():
        raise ValueError("the row element is not empty")
    attributes = {str(name): str(value) for name, value in element.attrib.items()}
    if stand_in is None or hidden == decoded:
        return attributes
    return {name: _show_controls(value, stand_in) for name, value in attributes.items()}


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

    return _control.sub(lambda found: chr(stand_in + ord(found[0])), _reference.sub(hide_reference, text))


def _character(reference: re.Match[str]) -> str:
    """The character of a reference; empty if it is not a character."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    return chr(code) if code <= sys.maxunicode else ""


def _show_controls(text: str, stand_in: int) -> str:
    stand_ins = f"[{chr(stand_in)}-{chr(stand_in + BLOCK - 1)}]"
    return re.sub(stand_ins, lambda found: chr(ord(found[0]) - stand_in), text)


def _reason(error: etree.XMLSyntaxError) -> str:
    return re.sub(r", line \d+, column (\d+).*", r", column \1", str(error.msg), flags=re.DOTALL)
