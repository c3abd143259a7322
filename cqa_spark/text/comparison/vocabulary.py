"""Word vectors in workers: converts texts to bags of words with vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from pyspark.sql import DataFrame

from cqa_spark.text.comparison.meaning import Bag, Numbers

if TYPE_CHECKING:
    import pandas as pd

SMOOTHING = 1e-3
"""Relative frequency at which a word has half the weight (Arora et al. 2017, section 3)."""
SAMPLE = 10_000
"""Maximum number of texts for fitting the common component, which bounds the driver's memory."""


@dataclass(frozen=True)
class Vocabulary:
    """The words with vectors, numbered from 0.

    Attributes:
        words: words in order of their numbers.
        vectors: one row per word, of unit length.
        idf: smooth inverse document frequency of each word, as in ``Collection.weigh``.
        smooth: smooth inverse frequency of each word.
    """

    words: tuple[str, ...]
    vectors: Numbers
    idf: Numbers
    smooth: Numbers

    @classmethod
    def of(cls, words: pd.DataFrame, documents: int, occurrences: int) -> Self:
        """Weigh the words of a collection.

        Args:
            words: ``word``, ``vector``, ``document_frequency``, ``occurrences`` (in all texts).
            documents: number of texts in the collection.
            occurrences: number of words in the collection, including repeats.
        """
        holding, times = (words[name].to_numpy(dtype=np.float64) for name in ("document_frequency", "occurrences"))
        return cls(
            tuple(words["word"]),
            np.array(words["vector"].tolist(), dtype=np.float64),
            np.log((1 + documents) / (1 + holding)) + 1,
            SMOOTHING / (SMOOTHING + times / max(1, occurrences)),
        )

    def bag(self, words: Sequence[str]) -> Bag | None:
        """The words of a text with vectors; None if there are none."""
        times = Counter(self._numbers[word] for word in words if word in self._numbers)
        if not times:
            return None
        numbers = np.array(sorted(times))
        counts = np.array([times[number] for number in numbers], dtype=np.float64)
        return Bag(self.vectors[numbers], counts, self.idf[numbers], self.smooth[numbers])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def common_component(vocabulary: Vocabulary, texts: DataFrame, unit: str) -> Numbers:
    """The first principal component of the texts' means, which all texts share (Arora et al. 2017, algorithm 1).

    Args:
        vocabulary: the words with vectors.
        texts: the table ``texts``; the ``SAMPLE`` texts with the lowest keys, which are hashes, are used.
        unit: the array column of the words.

    Returns:
        A unit vector; 0 if no text has a word with a vector.
    """
    sample = texts.select("text_id", unit).orderBy("text_id").limit(SAMPLE).toPandas()
    bags = [bag for bag in map(vocabulary.bag, sample[unit]) if bag is not None]
    if not bags:
        return np.zeros(vocabulary.vectors.shape[-1])
    means = np.array([bag.means[2] / bag.times.sum() for bag in bags])
    return np.linalg.eigh(means.T @ means)[1][:, -1]
