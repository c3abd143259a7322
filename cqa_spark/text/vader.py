"""VADER (Hutto and Gilbert 2014) for workers; the word list is read once per process."""

import string
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

_NEUTRAL = MappingProxyType({"neg": 0.0, "neu": 1.0, "pos": 0.0, "compound": 0.0})

MOST_WORDS = 4_096
"""Words of a text that are looked at, because VADER's time is quadratic."""


def polarity(text: str) -> Mapping[str, float]:
    """The sentiment of a text: ``compound`` from -1 to 1, and the shares ``pos``, ``neu`` and ``neg`` of the text."""
    analyzer = _analyzer()
    words = text.split()
    if len(words) > MOST_WORDS:
        text = " ".join(words[:MOST_WORDS])
    return _NEUTRAL if _is_without_sentiment(text, analyzer) else analyzer.polarity_scores(text)


def _is_without_sentiment(text: str, analyzer: SentimentIntensityAnalyzer) -> bool:
    """Whether a text has words, but neither a word of the list nor an emoji; about half of all sentences.

    VADER gives each of them 0, and takes ten times as long to find out.
    """
    words, lexicon = text.lower().split(), analyzer.lexicon.keys()
    return (
        bool(words)
        and lexicon.isdisjoint(words)
        and lexicon.isdisjoint(word.strip(string.punctuation) for word in words)
        and (text.isascii() or analyzer.emojis.keys().isdisjoint(text))
    )


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()
