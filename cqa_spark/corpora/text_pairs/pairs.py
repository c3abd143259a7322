"""Parses the lines of files of pairs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cqa_spark.corpora.text_pairs.kinds import PairKind
from cqa_spark.corpora.text_pairs.layout import Layout, UnreadablePair, parse_score

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

NEAR_WORDS = 10
"""Least number of words of a pair, both texts together, that can nearly repeat another."""

_WORD = re.compile(r"\w+")


class PairRow(NamedTuple):
    r"""One line of a file.

    Attributes:
        line: its number, from 1.
        byte_offset: byte offset in the file.
        raw: the line without its separator; bytes that are not UTF-8 as ``\xNN``.
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


def read_pairs(content: bytes, kind: PairKind, gold: bytes | None = None) -> Iterator[PairRow]:
    """Parse every line of a file, in order.

    Args:
        content: the file.
        kind: what its texts are.
        gold: content of the gold file of an official input, one score per line; None without one.
    """
    text = content.removeprefix(BYTE_ORDER_MARK).removesuffix(b"\n")
    lines = text.split(b"\n") if text else []
    scores = gold.decode("utf-8-sig").removesuffix("\n").split("\n") if gold is not None else None
    layout = kind.layout(lines[0].decode("utf-8", "replace")) if lines else None
    offset = len(content) - len(content.removeprefix(BYTE_ORDER_MARK))
    for number, line in enumerate(lines, start=1):
        assert layout is not None  # there are lines
        raw = line.removesuffix(b"\r").decode("utf-8", "backslashreplace")
        try:
            label = _gold_score(scores, number)
            yield _pair(PairRow(number, offset, raw, None, label), line.removesuffix(b"\r"), layout, kind)
        except UnreadablePair as unreadable:
            yield PairRow(number, offset, raw, str(unreadable))
        offset += len(line) + 1


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
    words = sorted(_WORD.findall(f"{one} {other}".casefold()))
    if len(words) < NEAR_WORDS:
        return ()
    all_but_one = (words[:place] + words[place + 1 :] for place in range(len(words)))
    return tuple(dict.fromkeys(_hash(each) for each in (words, *all_but_one)))


def _hash(words: Sequence[str]) -> int:
    digest = hashlib.blake2b("\n".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _pair(row: PairRow, line: bytes, layout: Layout, kind: PairKind) -> PairRow:
    try:
        columns = line.decode("utf-8").split("\t")
    except UnicodeDecodeError as error:
        raise UnreadablePair(f"byte {error.start} of the line is not valid UTF-8") from error
    if len(columns) < layout.width:
        raise UnreadablePair(f"the line has {len(columns)} columns; its file has {layout.about}")
    one, other = kind.cleaned(*(columns[place].strip() for place in layout.texts))
    if not one or not other:
        raise UnreadablePair("one of the texts is empty")
    label = row.label if layout.label is None else layout.parse_label(columns[layout.label])
    keys = same_pair_key(one, other), near_pair_keys(one, other)
    return row._replace(label=label, one=one, other=other, pair_key=keys[0], near_keys=keys[1])


def _gold_score(scores: list[str] | None, number: int) -> str | None:
    if scores is None:
        return None
    if number > len(scores):
        raise UnreadablePair(f"the gold file has only {len(scores)} lines")
    return parse_score(scores[number - 1])


def _letters(text: str) -> str:
    """Letters and digits, case-folded; the text itself if it has none."""
    return "".join(filter(str.isalnum, text.casefold())) or text
