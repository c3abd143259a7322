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
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cqa_spark.text.vader import polarity

SCALE = 10_000
"""VADER rounds to four digits, so that its numbers times this are whole, and their sums exact in any order."""

NEUTRAL_BELOW = SCALE * 5 // 100

MEASURES = ("sentences", "sentiment", "toned_sentences", "toned_sentiment")
"""Number of sentences and sum of their sentiments, of all sentences and of those that are not neutral."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def measure(text: str) -> tuple[int, int, int, int]:
    """The ``MEASURES`` of a text; sentiments in units of 1 over ``SCALE``."""
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    tones = [round(SCALE * polarity(sentence)["compound"]) for sentence in sentences]
    toned = [tone for tone in tones if abs(tone) >= NEUTRAL_BELOW]
    return len(tones), sum(tones), len(toned), sum(toned)


def with_sentiment(rows: DataFrame) -> DataFrame:
    """Measure the texts of rows.

    Args:
        rows: with the column ``body``, a string.

    Returns:
        The rows without ``body``, with the ``MEASURES``, whole numbers; 0 for no text.
    """
    kept = [field for field in rows.schema if field.name != "body"]
    names = [field.name for field in kept]
    schema = T.StructType([*kept, *[T.StructField(name, T.LongType()) for name in MEASURES]])

    def measured(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            bodies = batch.column("body").to_pylist()
            found = {body: measure(body or "") for body in set(bodies)}
            columns = [pa.array([found[body][place] for body in bodies], pa.int64()) for place in range(len(MEASURES))]
            yield pa.RecordBatch.from_arrays(
                [*[batch.column(name) for name in names], *columns], names=[*names, *MEASURES]
            )

    return rows.mapInArrow(measured, schema)
