"""The function of each training task: trains on its examples, together with the other tasks; imports JAX."""

from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from cqa_spark.networks.training import Optimizer, Trainer
from cqa_spark.rankers.neural.architecture import new_network
from cqa_spark.rankers.neural.network import Network, NetworkShape
from cqa_spark.rankers.neural.parameters import NeuralParameters
from cqa_spark.rankers.neural.training_examples import TrainingExamples, average_precisions
from cqa_spark.rankers.training.group import TrainingGroup

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
