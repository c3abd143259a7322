"""Parses files of pairs: splits them into rows of cells, which may be quoted, and these into labels, texts and keys.

Repeated pairs are found by their keys.
"""

import codecs
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cqa_spark.corpora.text_pairs.layouts import (
    EMPTY,
    SIMILARITY,
    FileLayout,
    PairKind,
    UnknownLayout,
    UnreadablePair,
    has_letter,
    is_note,
    recognize,
)
from cqa_spark.corpora.whole_files import decompressed

NEAR_WORDS = 10
"""Least number of words of a pair, both texts together, that can nearly repeat another."""

_WORD = re.compile(r"\w+")

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
        unquoted = [value[1:-1].replace(b'""', b'"') if value.startswith(b'"') else value for value in values]
        rows.append(DelimitedRow(line, offset, match[1].removesuffix(b"\r"), unquoted))
        line += match[0].count(LINE)
        offset = match.end()
    return rows


class PairRow(NamedTuple):
    r"""One record of a file.

    Attributes:
        line: number of its first line, from 1.
        byte_offset: byte offset in the uncompressed file.
        raw: the record without its separator; bytes that are not UTF-8 as ``\xNN``.
        problem: why it is not a pair, one sentence; None for a pair.
        label: gold label, as in judgments; None if the pair has none.
        text1: first text.
        text2: second text.
        pair_key: equal for pairs that differ only in case, punctuation, white space or the order of the texts.
        near_keys: two pairs that share one nearly repeat each other; empty for short pairs.
    """

    line: int
    byte_offset: int
    raw: str
    problem: str | None
    label: str | None = None
    text1: str | None = None
    text2: str | None = None
    pair_key: str | None = None
    near_keys: tuple[int, ...] = ()


@dataclass(frozen=True)
class PairFile:
    """The records of a file.

    Attributes:
        layout: its layout.
        lines: number of its lines, counted independently of the records.
        not_rows: lines that start no record: the header, blank lines below it, and all but the first line of a record.
        rows: the records, in order.
    """

    layout: FileLayout
    lines: int
    not_rows: int
    rows: list[PairRow]


def read_pairs(content: bytes, kind: PairKind, gold: bytes | None = None) -> PairFile:
    """Parse a file.

    Args:
        content: the file, which may be compressed by gzip.
        kind: what its texts are.
        gold: content of the gold file of an official input, one score per line; None without one.

    Raises:
        UnknownLayout: the file has none of the layouts, contains no pairs, or its gold file has another length.
        DamagedFile: it cannot be decompressed.
    """
    marked = decompressed(content)
    text = marked.removeprefix(codecs.BOM_UTF8)
    if not text.strip():
        raise UnknownLayout(EMPTY)
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnknownLayout("it is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8")
    first_line = text.split(LINE, 1)[0].removesuffix(b"\r")
    layout = recognize(first_line.decode("utf-8", "replace"), kind.without_header, kind.scales)
    delimiter = layout.delimiter.encode()
    lines = split_rows(text, delimiter)[1:] if layout.has_header else list(split_lines(text, delimiter))
    # Without a header, the lines of the predictions and of the gold file are those of the file.
    records = [line for line in lines if line.raw or not layout.has_header]
    labels = _gold_labels(gold, records, kind)
    mark = len(marked) - len(text)
    rows = []
    for record, label in zip(records, labels, strict=True):
        raw = record.raw.decode("utf-8", "backslashreplace")
        row = PairRow(record.line, record.byte_offset + mark, raw, None)
        try:
            rows.append(_parsed(row, record, label, layout, kind))
        except UnreadablePair as unreadable:
            rows.append(row._replace(problem=str(unreadable)))
    _refuse_misfits(rows, layout)
    continued = sum(record.raw.count(LINE) for record in records)
    return PairFile(
        layout,
        lines=text.removesuffix(LINE).count(LINE) + 1,
        not_rows=layout.has_header + len(lines) - len(records) + continued,
        rows=rows,
    )


def _gold_labels(gold: bytes | None, records: Sequence[DelimitedRow], kind: PairKind) -> Sequence[str | None]:
    if gold is None:
        return [None] * len(records)
    scores = decompressed(gold).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").removesuffix("\n").split("\n")
    if len(scores) != len(records):
        raise UnknownLayout(f"its gold file has {len(scores)} lines for {len(records)} pairs")
    return scores


def _parsed(row: PairRow, record: DelimitedRow, gold: str | None, layout: FileLayout, kind: PairKind) -> PairRow:
    try:
        record.raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadablePair(f"byte {error.start} of the line is not valid UTF-8") from error
    cells = [cell.decode("utf-8") for cell in record.cells]
    if len(cells) not in layout.widths:
        raise UnreadablePair(f"the line has {len(cells)} columns; its file has {layout.columns}")
    surplus = [cell for cell in cells[layout.widths.start :] if not is_note(cell)]
    if surplus:
        raise UnreadablePair(f"after the columns {layout.columns} follows {surplus[0]!r}, which may be a label")
    text1, text2 = kind.cleaned(*(cells[position].strip() for position in layout.texts))
    if not text1 or not text2:
        raise UnreadablePair("one of the texts is empty")
    if layout.label is not None:
        similarity = layout.layout.scale.similarity(cells[layout.label])
    else:
        similarity = SIMILARITY.similarity(gold or "")
    label = None if similarity is None else kind.label(similarity)
    return row._replace(
        label=label,
        text1=text1,
        text2=text2,
        pair_key=same_pair_key(text1, text2),
        near_keys=near_pair_keys(text1, text2),
    )


def _refuse_misfits(rows: Sequence[PairRow], layout: FileLayout) -> None:
    """Refuse a file whose records contradict the layout of its first line."""
    if not rows:
        raise UnknownLayout(f"it has the header of {layout.layout.name} and no pairs")
    misfits = [row for row in rows if row.problem is not None]
    if len(misfits) * 2 > len(rows):
        raise UnknownLayout(
            f"{len(misfits):,} of {len(rows):,} lines do not fit its first line, which has the columns of "
            f"{layout.layout.name}; line {misfits[0].line}: {misfits[0].problem}"
        )
    for texts in ([row.text1 for row in rows], [row.text2 for row in rows]):
        if not any(text and has_letter(text) for text in texts):
            raise UnknownLayout(f"a column of texts has no letters; the columns of {layout.layout.name} were expected")


def same_pair_key(text1: str, text2: str) -> str:
    """A key that is equal for pairs that differ only in case, punctuation, white space or order."""
    # A text without letters and digits stands for itself.
    letters = ["".join(filter(str.isalnum, text.casefold())) or text for text in (text1, text2)]
    return "\n".join(sorted(letters))


def near_pair_keys(text1: str, text2: str) -> tuple[int, ...]:
    """Hashes of the words of a pair, and of all of them but one, in any order.

    Two pairs share a hash if they have the same words, or if one word of one pair is replaced, added or removed.

    Args:
        text1: first text.
        text2: second text.

    Returns:
        The hashes, 64 bits each; none for pairs of fewer than ``NEAR_WORDS`` words, in which one word is a large part.
    """
    hashes = []
    for word in _WORD.findall(f"{text1} {text2}".casefold()):
        hashes.append(int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big"))
    if len(hashes) < NEAR_WORDS:
        return ()
    # Sums, because those of all words but one cost a subtraction; of each the last 64 bits, as a signed number.
    total = sum(hashes)
    sums = [total, *[total - word for word in hashes]]
    return tuple(dict.fromkeys((number + (1 << 63)) % (1 << 64) - (1 << 63) for number in sums))
