"""Fine-tunes the upper layers on judged pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

from cqa_spark.spark.torch_processes import Processes
from cqa_spark.text.cross_encoding.layers import UpperLayers
from cqa_spark.text.cross_encoding.pairs import EncodedPairs
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings

_WARM_UP = 0.1
"""Share of the steps in which the step size grows to its maximum; it then decreases to 0."""
_WEIGHT_DECAY = 0.01
_LARGEST_GRADIENT = 1.0
_LENGTH_NOISE = 8.0
"""Standard deviation of the noise on lengths, in tokens: batches of similar lengths differ between epochs."""


def fine_tune(
    network: UpperLayers,
    pairs: EncodedPairs,
    relevant: NDArray[np.bool_],
    settings: CrossEncoderSettings,
    processes: Processes,
) -> None:
    """Train a network in place by AdamW on the cross-entropy of relevance.

    Args:
        network: the upper layers, on the device of this process.
        pairs: the training pairs of this process.
        relevant: whether the second text of each pair is relevant to the first one.
        settings: of the training.
        processes: the processes that train together, each on its own pairs.

    Source:
        Devlin et al. 2019, BERT, section 4 and appendix A.3; Nogueira and Cho 2019, Passage Re-ranking with BERT.
    """
    target = torch.from_numpy(relevant.astype(np.float32)).to(processes.device)
    # The same number in all processes, so that their steps have the same size.
    steps = settings.epochs * math.ceil(processes.total(np.array([len(pairs)]))[0] / settings.batch)
    batch = max(1, settings.batch // processes.number)
    shared, joined = processes.share(network)
    optimizer = AdamW(_groups(network), lr=settings.learning_rate)
    schedule = LambdaLR(optimizer, lambda step: _share(step, steps))
    lengths = np.array([len(one) + len(other) for one, other in zip(pairs.first, pairs.second, strict=True)])
    random = np.random.default_rng([settings.seed, processes.rank])
    network.train()
    for _ in range(settings.epochs):
        with joined():
            for numbers in _batches(lengths, batch, random):
                optimizer.zero_grad()
                predicted = shared(*pairs.batch(numbers, processes.device))
                binary_cross_entropy_with_logits(predicted, target[numbers]).backward()
                clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
                optimizer.step()
                schedule.step()
    network.eval()


def _groups(network: UpperLayers) -> list[dict[str, object]]:
    """Matrices decay; biases and norms do not."""
    matrices = [parameter for parameter in network.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in network.parameters() if parameter.ndim == 1]
    return [{"params": matrices, "weight_decay": _WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]


def _share(step: int, steps: int) -> float:
    """The step size relative to its maximum."""
    warm_up = max(1.0, _WARM_UP * steps)
    return min((step + 1) / warm_up, max(0.0, (steps - step) / max(1.0, steps - warm_up)))


def _batches(lengths: NDArray[np.int64], size: int, random: np.random.Generator) -> Iterator[Sequence[int]]:
    """All places in batches of similar lengths, in random order."""
    order = np.argsort(lengths + random.normal(0, _LENGTH_NOISE, len(lengths)), kind="stable")
    starts = range(0, len(order), size)
    for start in random.permutation(np.array(starts, np.int64)).tolist():
        yield order[start : start + size].tolist()
