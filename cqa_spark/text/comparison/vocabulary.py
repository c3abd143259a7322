"""Word vectors as workers use them: the bag of words with vectors of any text."""

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
"""Share of all words from which on a word counts less than half (Arora et al. 2017, section 3)."""
SAMPLE = 10_000
"""Texts that the common component is learned from: bounds what the driver holds."""


@dataclass(frozen=True)
class Vocabulary:
    """The words that have vectors, numbered from 0.

    Attributes:
        words: in the order of their numbers.
        vectors: one row a word, each of length 1.
        idf: how rare each word is among texts, smooth, as in ``Collection.weigh``.
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
            words: ``word``, ``vector``, ``document_frequency`` (texts that hold it), ``occurrences`` (in all texts).
            documents: texts of the collection.
            occurrences: words of the collection, repeats included.
        """
        holding, times = (words[name].to_numpy(dtype=np.float64) for name in ("document_frequency", "occurrences"))
        return cls(
            tuple(words["word"]),
            np.array(words["vector"].tolist(), dtype=np.float64),
            np.log((1 + documents) / (1 + holding)) + 1,
            SMOOTHING / (SMOOTHING + times / max(1, occurrences)),
        )

    def bag(self, words: Sequence[str]) -> Bag | None:
        """The words of a text that have vectors; None where none has."""
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
    """The first principal component of the texts' means: what all texts say (Arora et al. 2017, algorithm 1).

    Args:
        vocabulary: the words that have vectors.
        texts: the table ``texts``; the ``SAMPLE`` texts of the lowest keys are looked at, which are hashes.
        unit: the array column of the words.

    Returns:
        A vector of length 1; 0 where no text has a word with a vector.
    """
    sample = texts.select("text_id", unit).orderBy("text_id").limit(SAMPLE).toPandas()
    bags = [bag for bag in map(vocabulary.bag, sample[unit]) if bag is not None]
    if not bags:
        return np.zeros(vocabulary.vectors.shape[-1])
    means = np.array([bag.means[2] / bag.times.sum() for bag in bags])
    return np.linalg.eigh(means.T @ means)[1][:, -1]
