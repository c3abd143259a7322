"""How friendly a text sounds, by VADER: a lexicon with rules for negation, emphasis and emoticons."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from cqa_spark.features.batches import Values, compute_in_batches
from cqa_spark.text.vader import polarity

MEASURES = {"compound": "compound", "positive": "pos", "negative": "neg"}
"""Our names of what VADER measures."""


def sentiments(texts: DataFrame) -> DataFrame:
    """Measure the sentiment of texts.

    Args:
        texts: of the schema ``TEXTS``.

    Returns:
        ``text_id``, ``compound`` (from -1, hostile, to 1, friendly), ``positive`` and ``negative`` (shares of the
        text).
    """
    return compute_in_batches(texts.select("text_id", "clean"), ["text_id"], list(MEASURES), _measure)


def _measure(batch: pa.RecordBatch) -> Iterator[Values]:
    for text in batch.column("clean").to_pylist():
        scores = polarity(text)
        yield [scores[name] for name in MEASURES.values()]
