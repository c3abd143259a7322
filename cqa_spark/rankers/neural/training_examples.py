"""The training examples of one process in memory, and their batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.networks.batches import similar_lengths
from cqa_spark.rankers.pair_words import CANDIDATE_WORDS, QUERY_WORDS, Numbers, word_numbers

_LENGTHS = (500, 2000)
_SHARES = (1, 4, 8)
"""Xu et al. 2018, section 5: batches of 32, 8 and 4 pairs of up to 500, up to 2,000, and more words."""


@dataclass(frozen=True, eq=False)
class TrainingExamples:
    """Examples sorted by query.

    Attributes:
        query: number of each example's query.
        target: 1 for relevant, 0 for irrelevant.
        features: shape (examples, features).
        query_words: word numbers of each query; empty arrays without texts.
        candidate_words: word numbers of each candidate.
    """

    query: NDArray[np.int64]
    target: NDArray[np.int64]
    features: NDArray[np.float64]
    query_words: Sequence[Numbers]
    candidate_words: Sequence[Numbers]

    def __len__(self) -> int:
        return len(self.query)

    @classmethod
    def of(cls, rows: pa.Table, features: int, vocabulary: Sequence[str], most_words: int) -> TrainingExamples:
        """Examples from rows with ``query_number``, ``target``, ``values`` and, if there is a vocabulary, words."""
        known = pa.array(vocabulary, pa.string())
        nothing = [np.empty(0, dtype=np.int64)] * rows.num_rows
        words = {
            name: word_numbers(rows.column(name), known, most_words) if vocabulary else nothing
            for name in (QUERY_WORDS, CANDIDATE_WORDS)
        }
        return cls(
            query=rows.column("query_number").to_numpy().astype(np.int64),
            target=rows.column("target").to_numpy().astype(np.int64),
            features=pc.list_flatten(rows.column("values")).to_numpy().reshape(rows.num_rows, features),
            query_words=words[QUERY_WORDS],
            candidate_words=words[CANDIDATE_WORDS],
        )

    def take(self, places: NDArray[np.int64]) -> TrainingExamples:
        """Some of the examples."""
        return replace(
            self,
            query=self.query[places],
            target=self.target[places],
            features=self.features[places],
            query_words=[self.query_words[place] for place in places],
            candidate_words=[self.candidate_words[place] for place in places],
        )

    def longest_text(self) -> int:
        """Number of words of the longest query or candidate."""
        return int(max(map(len, (*self.query_words, *self.candidate_words)), default=0))

    def batches(self, size: int, random: np.random.Generator) -> Iterator[TrainingExamples]:
        """All examples in a new random order, in batches of pairs of similar length.

        Args:
            size: number of pairs in a batch of short texts; batches of long texts are smaller.
            random: generator for the order.
        """
        lengths = np.array(
            [
                [len(query), len(candidate)]
                for query, candidate in zip(self.query_words, self.candidate_words, strict=True)
            ]
        )
        share = np.array(_SHARES)[np.digitize(lengths.sum(axis=1), _LENGTHS, right=True)]
        batches = [
            np.flatnonzero(share == divisor)[rows]
            for divisor in _SHARES
            for rows in similar_lengths(
                lengths[share == divisor].max(axis=1, initial=0), max(1, size // divisor), random
            )
        ]
        for number in random.permutation(len(batches)):
            yield self.take(batches[number])


def average_precisions(
    query: NDArray[np.int64], target: NDArray[np.int64], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The average precision of each query that has a relevant candidate.

    Args:
        query: number of each candidate's query.
        target: 1 for relevant.
        scores: higher is better; ties are broken by index.
    """
    precisions = []
    for number in np.unique(query[target == 1]):
        here = query == number
        hits = target[here][np.argsort(-scores[here], kind="stable")]
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        precisions.append(precision[hits == 1].mean())
    return np.array(precisions, dtype=np.float64)
