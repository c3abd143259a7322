"""Sentiment of short texts by VADER, per sentence.

The paper used the sentiment model of Stanford CoreNLP, a recursive neural network trained on film reviews. It assigns
every sentence to one of five classes from very negative to very positive; the third is neutral. VADER (Hutto and
Gilbert 2014) is a lexicon for short posts, with rules for negation, emphasis and emoticons. It scores a sentence from
-1 to 1; scores within 0.05 of 0 count as neutral, as its authors advise. VADER ignores sentence structure beyond a few
words and finds far more sentences neutral. Sentences end at a full stop, exclamation or question mark before white
space, and at the end of a line.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cqa_spark.text.vader import polarity

SCALE = 10_000
"""VADER rounds to four digits. Scores times ``SCALE`` are integers, so their sums are exact in any order."""

NEUTRAL_BELOW = SCALE * 5 // 100

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@lru_cache(maxsize=10_000)
def measure(text: str) -> tuple[int, int, int, int]:
    """Number and total sentiment of all sentences, then of the sentences that are not neutral.

    Sentiments are in units of 1 / ``SCALE``.
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    tones = [round(SCALE * polarity(sentence)["compound"]) for sentence in sentences]
    toned = [tone for tone in tones if abs(tone) >= NEUTRAL_BELOW]
    return len(tones), sum(tones), len(toned), sum(toned)
