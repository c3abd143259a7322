"""The function of each training process: trains on its examples, together with the other processes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from cqa_spark.rankers.neural.modules import PairNetwork, in_numpy, tensors
from cqa_spark.rankers.neural.network import Network, NetworkShape
from cqa_spark.rankers.neural.settings import TrainingSettings
from cqa_spark.rankers.neural.training_examples import TrainingExamples, average_precisions
from cqa_spark.spark.torch_distributor import own_rows
from cqa_spark.spark.torch_processes import Processes, use_one_thread

_VALIDATION_BATCH = 64

Inputs = Callable[[TrainingExamples], tuple[Tensor, ...]]


def train_partition(
    shape: NetworkShape, settings: TrainingSettings, vocabulary: Sequence[str], vectors: NDArray[np.float32]
) -> Network:
    """Train a network on this process's partition.

    Args:
        shape: sizes of the network.
        settings: settings of the training.
        vocabulary: words with vectors; empty without texts.
        vectors: their vectors, shape (words, dimensions).

    Returns:
        The network after the epoch with the highest mean average precision on the validation examples.
    """
    rows = own_rows()
    examples = TrainingExamples.of(rows, shape.features, vocabulary, settings.most_words)
    return train_network(shape, settings, vectors, examples, rows.column("held_out").to_numpy())


def train_network(
    shape: NetworkShape,
    settings: TrainingSettings,
    vectors: NDArray[np.float32],
    examples: TrainingExamples,
    held_out: NDArray[np.bool_],
) -> Network:
    """Train a network on examples in memory.

    Args:
        shape: sizes of the network.
        settings: settings of the training.
        vectors: word vectors, shape (words, dimensions).
        examples: the examples of this process.
        held_out: mask of the validation examples, on which the epoch is chosen. If it is all False or all True, the
            last epoch is kept.
    """
    use_one_thread()
    torch.manual_seed(settings.seed)
    if held_out.all():
        held_out = np.zeros_like(held_out)
    learned, validation = (examples.take(np.flatnonzero(chosen)) for chosen in (~held_out, held_out))
    with Processes() as processes:
        low, high = processes.range_of(learned.features)
        network = PairNetwork(shape, settings, vectors).to(processes.device)

        def inputs(batch: TrainingExamples) -> tuple[Tensor, ...]:
            return tuple(each.to(processes.device) for each in tensors(batch, low, high, len(vectors)))

        validated = partial(_validated, network, validation, inputs)
        network.load_state_dict(_best_epoch(network, learned, inputs, validated, settings, processes))
        return in_numpy(network, low, high)


def _best_epoch(
    network: PairNetwork,
    learned: TrainingExamples,
    inputs: Inputs,
    validated: Callable[[], NDArray[np.float64]],
    settings: TrainingSettings,
    processes: Processes,
) -> dict[str, Tensor]:
    """The weights after the best epoch; the last epoch among ties."""
    shared, joined = processes.share(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    random = np.random.default_rng([settings.seed, processes.rank])
    best, best_value = network.state_dict(), -1.0
    for _ in range(settings.epochs):
        network.train()
        with joined():
            for batch in learned.batches(settings.batch, random):
                if settings.batch_norm and len(batch) == 1:
                    continue  # a single example has no variance
                optimizer.zero_grad()
                target = torch.from_numpy(batch.target).to(processes.device)
                cross_entropy(shared(*inputs(batch)), target).backward()
                optimizer.step()
        total, queries = processes.total(validated())
        value = total / queries if queries else 0.0
        if value >= best_value:
            best, best_value = copy.deepcopy(network.state_dict()), value
    return best


@torch.no_grad()
def _validated(network: PairNetwork, validation: TrainingExamples, inputs: Inputs) -> NDArray[np.float64]:
    """The sum of the average precisions of this process's validation queries, and the number of queries."""
    network.eval()
    places = range(0, len(validation), _VALIDATION_BATCH)
    batches = [validation.take(np.arange(start, min(start + _VALIDATION_BATCH, len(validation)))) for start in places]
    found = [torch.softmax(network(*inputs(batch)), dim=1)[:, 1].cpu().double().numpy() for batch in batches]
    scores = np.concatenate(found) if found else np.empty(0)
    each = average_precisions(validation.query, validation.target, scores)
    return np.array([each.sum(), len(each)], dtype=np.float64)
