"""Trains a network on the examples of a task, together with the other tasks; imports JAX."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from cqa_spark.networks.training import Optimizer, Trainer
from cqa_spark.rankers.neural.architecture import new_network
from cqa_spark.rankers.neural.network import Network, NetworkShape
from cqa_spark.rankers.neural.ranker import NeuralParameters
from cqa_spark.rankers.neural.training_data import TrainingExamples, average_precisions
from cqa_spark.rankers.training_group import TrainingGroup

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
    if held_out.all():
        learned, validation = examples, examples.take(np.arange(0))
    else:
        learned, validation = examples.take(np.flatnonzero(~held_out)), examples.take(np.flatnonzero(held_out))
    # The range of each feature in the examples of all tasks.
    low = -group.highest(-learned.features.min(axis=0))
    high = group.highest(learned.features.max(axis=0))
    trainer = Trainer(
        new_network(shape, parameters.seed),
        Optimizer(parameters.learning_rate),
        parameters.seed + group.number,
        group.total if group.workers > 1 else None,
    )
    random = np.random.default_rng([parameters.seed, group.number])
    scaler = Network(low, high, b"")  # scales the inputs of training steps; its graph is not used
    best, best_value = scaler, -1.0
    for _ in range(parameters.epochs):
        batches = list(learned.batches(parameters.batch, random))
        # Every task takes as many steps as the one with most batches, because they exchange gradients.
        steps = int(group.highest(np.array([len(batches)], dtype=np.float64))[0])
        for batch in islice(cycle(batches), steps):
            trainer.step(_inputs(scaler, batch, vectors), batch.target.astype(bool))
        network = Network(low, high, trainer.trained().SerializeToString())
        precisions = average_precisions(
            validation.query, validation.target, _probabilities(network, validation, vectors)
        )
        total, queries = group.total(np.array([precisions.sum(), len(precisions)], dtype=np.float64))
        value = total / queries if queries else 0.0
        if value >= best_value:
            best, best_value = network, value
    return best


def _inputs(network: Network, batch: TrainingExamples, vectors: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """The inputs of a batch, with texts of equal length."""
    if not vectors.size:
        return network.inputs(batch.features)
    length = _MULTIPLE * max(1, -(-batch.longest_text() // _MULTIPLE))
    queries = [vectors[numbers] for numbers in batch.query_words]
    candidates = [vectors[numbers] for numbers in batch.candidate_words]
    return network.inputs(batch.features, queries, candidates, length=length)


def _probabilities(network: Network, examples: TrainingExamples, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """The probability of relevance of each example; shape (examples,)."""
    probabilities = np.empty(len(examples))
    for row, features in enumerate(examples.features):
        texts = examples.query_words[row], examples.candidate_words[row]
        words = [vectors[numbers] for numbers in texts] if vectors.size else []
        probabilities[row] = network.probability(features, words)
    return probabilities
