"""Parses files of pairs: rows of cells become labels and texts."""

import codecs
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cqa_spark.corpora.text_pairs.delimited_rows import LINE, DelimitedRow, split_lines, split_rows
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

# Splits a file into rows of cells, which may be quoted.


# Keys of pairs of texts: equal for pairs that repeat each other, or nearly do.

NEAR_WORDS = 10
"""Least number of words of a pair, both texts together, that can nearly repeat another."""

_WORD = re.compile(r"\w+")


def same_pair_key(one: str, other: str) -> str:
    """A key that is equal for pairs that differ only in case, punctuation, white space or order."""
    return "\n".join(sorted(map(_letters, (one, other))))


def near_pair_keys(one: str, other: str) -> tuple[int, ...]:
    """Hashes of the words of a pair, and of all of them but one, in any order.

    Two pairs share a hash if they have the same words, or if one word of one pair is replaced, added or removed.

    Args:
        one: first text.
        other: second text.

    Returns:
        The hashes, 64 bits each; none for pairs of fewer than ``NEAR_WORDS`` words, in which one word is a large part.
    """
    words = [_hash(word) for word in _WORD.findall(f"{one} {other}".casefold())]
    if len(words) < NEAR_WORDS:
        return ()
    # Sums, because those of all words but one cost a subtraction.
    total = sum(words)
    return tuple(dict.fromkeys(map(_signed, [total, *[total - word for word in words]])))


def _letters(text: str) -> str:
    """Letters and digits, case-folded; the text itself if it has none."""
    return "".join(filter(str.isalnum, text.casefold())) or text


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")


def _signed(number: int) -> int:
    """The last 64 bits of a whole number, as a signed one."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


class PairRow(NamedTuple):
    r"""One record of a file.

    Attributes:
        line: number of its first line, from 1.
        byte_offset: byte offset in the uncompressed file.
        raw: the record without its separator; bytes that are not UTF-8 as ``\xNN``.
        problem: why it is not a pair, one sentence; None for a pair.
        label: gold label, as in judgments; None if the pair has none.
        one: first text.
        other: second text.
        pair_key: equal for pairs that differ only in case, punctuation, white space or the order of the texts.
        near_keys: two pairs that share one nearly repeat each other; empty for short pairs.
    """

    line: int
    byte_offset: int
    raw: str
    problem: str | None
    label: str | None = None
    one: str | None = None
    other: str | None = None
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
    layout = _layout(text, kind)
    delimiter = layout.delimiter.encode()
    lines = split_rows(text, delimiter)[1:] if layout.has_header else list(split_lines(text, delimiter))
    # Without a header, the lines of the predictions and of the gold file are those of the file.
    records = [line for line in lines if line.raw or not layout.has_header]
    labels = _gold_labels(gold, records, kind)
    mark = len(marked) - len(text)
    rows = [
        _pair(record._replace(byte_offset=record.byte_offset + mark), label, layout, kind)
        for record, label in zip(records, labels, strict=True)
    ]
    _refuse_misfits(rows, layout)
    continued = sum(record.raw.count(LINE) for record in records)
    return PairFile(
        layout,
        lines=text.removesuffix(LINE).count(LINE) + 1,
        not_rows=layout.has_header + len(lines) - len(records) + continued,
        rows=rows,
    )


def _layout(text: bytes, kind: PairKind) -> FileLayout:
    line = text.split(LINE, 1)[0].removesuffix(b"\r")
    return recognize(line.decode("utf-8", "replace"), kind.without_header, kind.scales)


def _gold_labels(gold: bytes | None, records: Sequence[DelimitedRow], kind: PairKind) -> Sequence[str | None]:
    if gold is None:
        return [None] * len(records)
    scores = decompressed(gold).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").removesuffix("\n").split("\n")
    if len(scores) != len(records):
        raise UnknownLayout(f"its gold file has {len(scores)} lines for {len(records)} pairs")
    return scores


def _pair(record: DelimitedRow, gold: str | None, layout: FileLayout, kind: PairKind) -> PairRow:
    row = PairRow(record.line, record.byte_offset, record.raw.decode("utf-8", "backslashreplace"), None)
    try:
        return _parsed(row, record, gold, layout, kind)
    except UnreadablePair as unreadable:
        return row._replace(problem=str(unreadable))


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
    one, other = kind.cleaned(*(cells[position].strip() for position in layout.texts))
    if not one or not other:
        raise UnreadablePair("one of the texts is empty")
    if layout.label is not None:
        similarity = layout.layout.scale.similarity(cells[layout.label])
    else:
        similarity = SIMILARITY.similarity(gold or "")
    label = None if similarity is None else kind.label(similarity)
    return row._replace(
        label=label, one=one, other=other, pair_key=same_pair_key(one, other), near_keys=near_pair_keys(one, other)
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
    for texts in ([row.one for row in rows], [row.other for row in rows]):
        if not any(text and has_letter(text) for text in texts):
            raise UnknownLayout(f"a column of texts has no letters; the columns of {layout.layout.name} were expected")
