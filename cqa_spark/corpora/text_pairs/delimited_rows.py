"""Splits a file into rows of cells, which may be quoted."""

import re
from collections.abc import Iterator
from typing import NamedTuple

LINE = b"\n"


TAB = b"\t"


class DelimitedRow(NamedTuple):
    """One row.

    Attributes:
        line: number of its first line, from 1.
        byte_offset: its start, in bytes.
        raw: its bytes, without the line separator.
        cells: the columns, without quotes if the file is quoted.
    """

    line: int
    byte_offset: int
    raw: bytes
    cells: list[bytes]


def split_lines(content: bytes, delimiter: bytes = TAB) -> Iterator[DelimitedRow]:
    """Every line of a file is a row, and quotes are text."""
    offset = 0
    for number, line in enumerate(content.removesuffix(LINE).split(LINE), start=1):
        raw = line.removesuffix(b"\r")
        yield DelimitedRow(number, offset, raw, raw.split(delimiter))
        offset += len(line) + 1


def split_rows(content: bytes, delimiter: bytes) -> list[DelimitedRow]:
    """The rows of a file whose cells may be quoted.

    A file is quoted if all its quotes are those of CSV: around whole cells, and doubled within them. Otherwise they
    are text, as in MSRP: a parser of CSV would join its lines from one sentence that begins with a quote to the next.

    Args:
        content: the file.
        delimiter: the character between two cells.
    """
    return (_quoted_rows(content, delimiter) if b'"' in content else None) or list(split_lines(content, delimiter))


def _quoted_rows(content: bytes, delimiter: bytes) -> list[DelimitedRow] | None:
    """The rows of a quoted file; None if the file is not quoted. The module ``csv`` gives no byte offsets."""
    cell = rb'(?:"(?:[^"]|"")*+"|[^"\n%b]*+)' % delimiter
    row = re.compile(rb"(%b(?:%b%b)*+)\r?(?:\n|\Z)" % (cell, delimiter, cell))
    cells = re.compile(rb"(?:\A|%b)(%b)" % (delimiter, cell))
    rows, line, offset = [], 1, 0
    while offset < len(content):
        match = row.match(content, offset)
        if match is None:
            return None
        values = cells.findall(match[1])
        # A quote that opens in one line and closes in another may be text of both, if columns end between them.
        if delimiter == TAB and any(LINE in value and TAB in value for value in values):
            return None
        rows.append(DelimitedRow(line, offset, match[1].removesuffix(b"\r"), [_unquoted(value) for value in values]))
        line += match[0].count(LINE)
        offset = match.end()
    return rows


def _unquoted(cell: bytes) -> bytes:
    return cell[1:-1].replace(b'""', b'"') if cell.startswith(b'"') else cell
