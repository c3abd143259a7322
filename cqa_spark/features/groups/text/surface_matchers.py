"""Tests and counts of which surface features are made: marks, words, phrases and patterns in a comment's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import log1p

from cqa_spark.features.batch_texts import Texts

_NO_CAPITALS = bytes(set(range(256)) - set(range(ord("A"), ord("Z") + 1)))
_NO_LETTERS = bytes(set(_NO_CAPITALS) - set(range(ord("a"), ord("z") + 1)))
_WORD = re.compile(r"\w+")
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True)
class CommentText:
    """The analysed text of a comment.

    Attributes:
        raw: as written.
        clean: without markup.
        sentences: its sentences.
        tokens: words and punctuation.
        words: lower-case tokens with a letter or digit.
        content_words: words other than stop words.
    """

    raw: str
    clean: str
    sentences: Sequence[str]
    tokens: Sequence[str]
    words: Sequence[str]
    content_words: Sequence[str]

    @classmethod
    def read(cls, texts: Texts, index: int) -> CommentText:
        """The text with this index."""
        return cls(*(texts.unit(field.name)[index] for field in fields(cls)))

    @cached_property
    def lower(self) -> str:
        """The clean text in lower case."""
        return self.clean.lower()

    @cached_property
    def spellings(self) -> frozenset[str]:
        """Runs of letters and digits: unlike the words, they end at apostrophes and full stops."""
        return frozenset(_WORD.findall(self.lower))

    @cached_property
    def capitals(self) -> int:
        """Number of the letters A to Z."""
        return len(self.clean.encode().translate(None, _NO_CAPITALS))

    @cached_property
    def letters(self) -> int:
        """Number of the letters a to z and A to Z."""
        return len(self.clean.encode().translate(None, _NO_LETTERS))

    @cached_property
    def has_digit(self) -> bool:
        """Whether the clean text has a digit."""
        return _DIGIT.search(self.clean) is not None


SurfaceFeature = Callable[[CommentText], float]
"""The value of a feature."""


def share(count: float, total: int) -> float:
    """A count over a total; 0 if both are 0."""
    return count / max(1, total)


def matches(pattern: str) -> SurfaceFeature:
    """ln(1 + matches of a pattern in the clean text)."""
    compiled = re.compile(pattern)
    return lambda comment: log1p(sum(1 for _ in compiled.finditer(comment.clean)))


def marks(*characters: str) -> SurfaceFeature:
    """ln(1 + occurrences of characters in the clean text)."""
    return lambda comment: log1p(sum(map(comment.clean.count, characters)))


def tokens_of_kind(kind: str) -> SurfaceFeature:
    """ln(1 + placeholder tokens of a kind, which cleaning inserts)."""
    return lambda comment: log1p(comment.tokens.count(kind))


def _words_among(*words: str) -> Callable[[CommentText], int]:
    chosen = frozenset(words)
    return lambda comment: sum(word in chosen for word in comment.words)


def share_among(*words: str) -> SurfaceFeature:
    """Share of the words that belong to the given set."""
    count = _words_among(*words)
    return lambda comment: share(count(comment), len(comment.words))


def log_among(*words: str) -> SurfaceFeature:
    """ln(1 + words that belong to the given set)."""
    count = _words_among(*words)
    return lambda comment: log1p(count(comment))


def says(*phrases: str) -> SurfaceFeature:
    """1 if a phrase occurs as whole words, ignoring case."""
    single = frozenset(phrase for phrase in phrases if _WORD.fullmatch(phrase))
    longer = {phrase: re.compile(rf"\b{re.escape(phrase)}\b") for phrase in phrases if phrase not in single}

    def found(comment: CommentText) -> float:
        return not single.isdisjoint(comment.spellings) or any(
            phrase in comment.lower and bounded.search(comment.lower) for phrase, bounded in longer.items()
        )

    return found


def starts_with(*phrases: str) -> SurfaceFeature:
    """1 if the text starts with one of the phrases, ignoring leading punctuation."""
    start = re.compile(rf"\W*(?:{'|'.join(phrases)})\b", re.ASCII)
    return lambda comment: start.match(comment.lower) is not None
