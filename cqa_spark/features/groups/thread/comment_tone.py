"""How favourable a short text is: VADER, sentence by sentence.

The paper used the sentiment model of Stanford CoreNLP: a recursive neural network, trained on the sentences of film
reviews, that puts every sentence into one of five classes from very negative to very positive, the third of which is
neutral. VADER (Hutto and Gilbert 2014) is a lexicon with rules for negation, emphasis and emoticons, made for short
posts. It gives a sentence a number from -1 to 1; those within 0.05 of 0 count as neutral, as its authors advise. It
knows no sentence structure beyond a few words, and far more sentences are neutral to it. Sentences end here at a full
stop, exclamation or question mark before white space, and at the end of a line.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cqa_spark.text.vader import polarity

SCALE = 10_000
"""VADER rounds to four digits, so that its numbers times this are whole, and their sums exact in any order."""

NEUTRAL_BELOW = SCALE * 5 // 100

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@lru_cache(maxsize=10_000)
def measure(text: str) -> tuple[int, int, int, int]:
    """The number of sentences and the sum of their sentiments, and both again of the sentences that are not neutral.

    Sentiments are in units of 1 over ``SCALE``.
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    tones = [round(SCALE * polarity(sentence)["compound"]) for sentence in sentences]
    toned = [tone for tone in tones if abs(tone) >= NEUTRAL_BELOW]
    return len(tones), sum(tones), len(toned), sum(toned)
