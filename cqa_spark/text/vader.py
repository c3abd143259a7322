"""VADER (Hutto and Gilbert 2014) for workers; the word list is read once per process."""

from __future__ import annotations

from functools import cache

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer


def polarity(text: str) -> dict[str, float]:
    """The sentiment of a text: ``compound`` from -1 to 1, and the shares ``pos``, ``neu`` and ``neg`` of the text."""
    scores: dict[str, float] = _analyzer().polarity_scores(text)
    return scores


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()
