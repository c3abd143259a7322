"""The function of each training task: trains on its examples, together with the other tasks; imports JAX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.networks.training import Optimizer, Trainer, similar_lengths
from cqa_spark.process.failures import require_extra
from cqa_spark.rankers.candidates import (
    CANDIDATE_WORDS,
    QUERY_WORDS,
    Numbers,
    bad_features,
    feature_columns,
    word_numbers,
)
from cqa_spark.rankers.model import TrainingCounts
from cqa_spark.rankers.neural.network import Network, NetworkShape, new_network
from cqa_spark.rankers.ranker import RankerParameters
from cqa_spark.rankers.training import features_to_learn_from, require_both_classes, require_numbers
from cqa_spark.rankers.training_group import TrainingGroup, require_executors_for
from cqa_spark.rankers.tuning_ranges import Between
from cqa_spark.spark.frames import persisted

# The training examples of one process in memory, and their batches.

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


# Training examples of a network, in an order that does not depend on the partitioning.


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
    with persisted(labelled.repartition(1).sortWithinPartitions(*QUERY, "candidate_id")) as (placed,):
        yield TrainingRows(placed, features, _checked_counts(placed, features, given=frame.count()))


def _checked_counts(rows: DataFrame, features: tuple[str, ...], *, given: int) -> TrainingCounts:
    counted = rows.agg(
        F.count_distinct(*QUERY).alias("queries"),
        F.count("*").alias("rows"),
        F.count_if("relevant").alias("relevant"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_set(bad_features(features))))).alias("bad"),
    ).first()
    assert counted is not None  # an aggregate without groups has one row
    require_numbers(counted["bad"])
    counts = TrainingCounts(
        queries=counted["queries"],
        rows=counted["rows"],
        relevant=counted["relevant"],
        unlabelled=given - counted["rows"],
    )
    require_both_classes(counts)
    return counts


# Parameters of rankers that train a network.

Nodes = tuple[Annotated[int, Field(ge=1)], ...]


class NeuralParameters(RankerParameters):
    """Parameters of the classifier H and of its training."""

    hidden: Nodes = Field((50, 50), description="nodes of each hidden layer of the classifier")
    dropout: Annotated[float, Between(0.2, 0.8)] = Field(0.5, ge=0, lt=1, description="dropout rate of each layer")
    learning_rate: Annotated[float, Between(1e-4, 1e-2, log=True)] = Field(
        0.001, gt=0, description="step size of Adam (Kingma and Ba 2015)"
    )
    epochs: int = Field(40, ge=1, description="passes over the training examples; the best one is kept")
    batch: int = Field(32, ge=2, description="batch size in pairs; smaller for long texts")
    validation_folds: int = Field(
        5, ge=2, description="number of folds of the training threads; one fold is held out to choose the epoch"
    )
    seed: int = Field(1, description="seed of the initial weights, the batches and the dropout")
    workers: int = Field(1, ge=1, description="Spark tasks that train together; queries stay whole")
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")

    def require_environment(self) -> None:
        """Check that JAX is installed, and that executors stay for several workers."""
        require_extra("neural", ["jax", "onnx"], "training a neural ranker")
        require_executors_for(self.workers)


ALONE = TrainingGroup()

_MULTIPLE = 16
"""Texts are padded to a multiple of this number of words: a step is compiled for each length."""


def train_network(
    shape: NetworkShape,
    parameters: NeuralParameters,
    vectors: NDArray[np.float32],
    examples: TrainingExamples,
    held_out: NDArray[np.bool_],
    group: TrainingGroup = ALONE,
) -> Network:
    """Train a network on examples in memory.

    Args:
        shape: sizes of the network.
        parameters: epochs, batch size, step size and seed.
        vectors: word vectors, shape (words, dimensions).
        examples: the examples of this task.
        held_out: mask of the validation examples, on which the epoch is chosen. If it is all False or all True, the
            last epoch is kept.
        group: the tasks that train together.

    Returns:
        The network after the epoch with the highest mean average precision on the validation examples; the last epoch
        among ties.
    """
    learned = examples.take(np.flatnonzero(~held_out)) if not held_out.all() else examples
    validation = examples.take(np.flatnonzero(held_out)) if not held_out.all() else examples.take(np.arange(0))
    low = -group.highest(-learned.features.min(axis=0))
    high = group.highest(learned.features.max(axis=0))
    trainer = Trainer(
        new_network(shape, parameters.seed),
        Optimizer(parameters.learning_rate),
        parameters.seed + group.number,
        group.total if group.workers > 1 else None,
    )
    random = np.random.default_rng([parameters.seed, group.number])
    best, best_value = Network(low, high, b""), -1.0
    for _ in range(parameters.epochs):
        batches = list(learned.batches(parameters.batch, random))
        # As many steps in each task: they exchange gradients.
        steps = int(group.highest(np.array([len(batches)], dtype=np.float64))[0])
        for batch in islice(cycle(batches), steps):
            trainer.step(_inputs(best, batch, vectors), batch.target.astype(bool))
        network = Network(low, high, trainer.trained().SerializeToString())
        total, queries = group.total(_validated(network, validation, vectors))
        value = total / queries if queries else 0.0
        if value >= best_value:
            best, best_value = network, value
    return best


def _inputs(network: Network, batch: TrainingExamples, vectors: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """The inputs of a batch, with texts of equal length."""
    if not vectors.size:
        return network.inputs(batch.features)
    length = _MULTIPLE * max(1, -(-batch.longest_text() // _MULTIPLE))
    texts = ([vectors[numbers] for numbers in side] for side in (batch.query_words, batch.candidate_words))
    return network.inputs(batch.features, *texts, length=length)


def _validated(network: Network, validation: TrainingExamples, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """The sum of the average precisions of this task's validation queries, and the number of queries."""
    sides = zip(validation.query_words, validation.candidate_words, strict=True)
    texts = [(vectors[query], vectors[candidate]) if vectors.size else () for query, candidate in sides]
    scores = [network.probability(row, pair) for row, pair in zip(validation.features, texts, strict=True)]
    precisions = average_precisions(validation.query, validation.target, np.array(scores))
    return np.array([precisions.sum(), len(precisions)], dtype=np.float64)
