"""The training examples of a network: as a DataFrame on the driver, and in the memory of a task; imports no JAX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.networks.batches import similar_lengths
from cqa_spark.rankers.candidates import (
    CANDIDATE_WORDS,
    QUERY_WORDS,
    Numbers,
    bad_features,
    feature_columns,
    word_numbers,
)
from cqa_spark.rankers.model import TrainingCounts
from cqa_spark.rankers.training import features_to_learn_from, require_both_classes, require_numbers
from cqa_spark.spark.frames import persisted

_LENGTHS = (500, 2000)
_DIVISORS = (1, 4, 8)
"""Xu et al. 2018, section 5: batches of 32, 8 and 4 pairs of up to 500, up to 2,000, and more words."""


@dataclass(frozen=True)
class TrainingRows:
    """Training examples.

    Attributes:
        frame: the input's columns; persisted, in one partition, sorted by query and candidate.
        features: feature columns, in order.
        counts: size of the training data.
    """

    frame: DataFrame
    features: tuple[str, ...]
    counts: TrainingCounts


@contextmanager
def training_rows(frame: DataFrame, *, needs_features: bool = True) -> Iterator[TrainingRows]:
    """Select and sort the labelled examples; they are persisted until the block ends.

    Gradient steps depend on the order of the examples, so only a fixed order makes the model independent of the
    partitioning.

    Args:
        frame: training examples with features; rows where ``relevant`` is null are excluded.
        needs_features: False for rankers that use texts, which also train without features.

    Raises:
        InputError: there are no labelled examples, or only one class.
        ContractError: there are no features, or a value is not a number.
    """
    features = features_to_learn_from(frame) if needs_features else feature_columns(frame)
    labelled = frame.where(F.col("relevant").isNotNull())
    with persisted(labelled.repartition(1).sortWithinPartitions(*QUERY, "candidate_id")) as (in_order,):
        totals = in_order.agg(
            F.count_distinct(*QUERY).alias("queries"),
            F.count("*").alias("rows"),
            F.count_if("relevant").alias("relevant"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_set(bad_features(features))))).alias("bad"),
        ).first()
        assert totals is not None  # an aggregate without groups has one row
        require_numbers(totals["bad"])
        counts = TrainingCounts(
            queries=totals["queries"],
            rows=totals["rows"],
            relevant=totals["relevant"],
            unlabelled=frame.count() - totals["rows"],
        )
        require_both_classes(counts)
        yield TrainingRows(in_order, features, counts)


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
        """Read examples from rows with ``query_number``, ``target``, ``values`` and, for a vocabulary, words."""
        if vocabulary:
            words = pa.array(vocabulary, pa.string())
            query_words = word_numbers(rows.column(QUERY_WORDS), words, most_words)
            candidate_words = word_numbers(rows.column(CANDIDATE_WORDS), words, most_words)
        else:
            query_words = candidate_words = [np.empty(0, dtype=np.int64)] * rows.num_rows
        return cls(
            query=rows.column("query_number").to_numpy().astype(np.int64),
            target=rows.column("target").to_numpy().astype(np.int64),
            features=pc.list_flatten(rows.column("values")).to_numpy().reshape(rows.num_rows, features),
            query_words=query_words,
            candidate_words=candidate_words,
        )

    def take(self, rows: NDArray[np.int64]) -> TrainingExamples:
        """Some of the examples, by index."""
        return replace(
            self,
            query=self.query[rows],
            target=self.target[rows],
            features=self.features[rows],
            query_words=[self.query_words[row] for row in rows],
            candidate_words=[self.candidate_words[row] for row in rows],
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
        query_lengths = np.array([len(words) for words in self.query_words], dtype=np.int64)
        candidate_lengths = np.array([len(words) for words in self.candidate_words], dtype=np.int64)
        divisors = np.array(_DIVISORS)[np.digitize(query_lengths + candidate_lengths, _LENGTHS, right=True)]
        longer = np.maximum(query_lengths, candidate_lengths)
        batches: list[NDArray[np.int64]] = []
        for divisor in _DIVISORS:
            rows = np.flatnonzero(divisors == divisor)
            for batch in similar_lengths(longer[rows], max(1, size // divisor), random):
                batches.append(rows[batch])
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
        is_candidate = query == number
        hits = target[is_candidate][np.argsort(-scores[is_candidate], kind="stable")]
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        precisions.append(precision[hits == 1].mean())
    return np.array(precisions, dtype=np.float64)
