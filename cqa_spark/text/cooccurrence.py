"""Counts of words, and of pairs of near words, in a collection."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

Ids = NDArray[np.int64]

COOCCURRENCES = pa.schema([("one", pa.int64()), ("other", pa.int64()), ("times", pa.int64())])


def frequent_words(texts: DataFrame, unit: str, *, rarest: int, most: int) -> DataFrame:
    """The frequent words of a collection.

    Args:
        texts: the table ``texts``, one row per distinct text.
        unit: an array column of it, such as ``content_words``; its items are the words.
        rarest: minimum number of occurrences of a word.
        most: maximum number of words; the most frequent are kept.

    Returns:
        ``word``, ``occurrences``, ``document_frequency``; the most frequent first, ties by spelling.
    """
    words = texts.select("text_id", F.explode(unit).alias("word"))
    in_texts = words.groupBy("text_id", "word").agg(F.count("*").alias("times"))
    counted = in_texts.groupBy("word").agg(
        F.sum("times").alias("occurrences"), F.count("*").alias("document_frequency")
    )
    return counted.where(F.col("occurrences") >= rarest).orderBy(F.desc("occurrences"), "word").limit(most)


def cooccurrences(texts: DataFrame, unit: str, numbers: dict[str, int], *, window: int) -> DataFrame:
    """Count how often two words occur near each other.

    Args:
        texts: the table ``texts``.
        unit: the array column of the words.
        numbers: the words to count, numbered from 0; other words are removed first.
        window: maximum distance of near words.

    Returns:
        ``one``, ``other`` (numbers of words, ``one`` <= ``other``), ``times``.
    """

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbered = [_numbered(words, numbers) for words in batch.column(unit).to_pylist()]
            pairs, times = np.unique(_near(numbered, window), axis=0, return_counts=True)
            yield pa.RecordBatch.from_arrays([*map(pa.array, pairs.T), pa.array(times)], schema=COOCCURRENCES)

    counts = texts.select(unit).mapInArrow(count, "one bigint, other bigint, times bigint")
    return counts.groupBy("one", "other").agg(F.sum("times").alias("times"))


def _numbered(words: list[str], numbers: dict[str, int]) -> Ids:
    return np.array([numbers[word] for word in words if word in numbers], dtype=np.int64)


def _near(texts: list[Ids], window: int) -> Ids:
    """All pairs of near words of all texts, the smaller number first, one pair per row."""
    left = [text[:-distance] for text in texts for distance in range(1, window + 1)]
    right = [text[distance:] for text in texts for distance in range(1, window + 1)]
    pairs = np.stack([_joined(left), _joined(right)], axis=1)
    pairs.sort(axis=1)
    return pairs


def _joined(pieces: list[Ids]) -> Ids:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
