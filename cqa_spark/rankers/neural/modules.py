"""The networks as PyTorch modules; imported only by the training processes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from cqa_spark.rankers.neural.network import CLASSES, Dense, Layers, Network, NetworkShape, scaled
from cqa_spark.rankers.neural.settings import TrainingSettings
from cqa_spark.rankers.neural.training_examples import TrainingExamples


class PairNetwork(nn.Module):
    """Decomposable attention (Parikh et al. 2016) as Xu et al. (2018) combine it with features; or features alone.

    Args:
        shape: sizes.
        settings: dropout, batch normalisation, initialisation.
        vectors: frozen word vectors, shape (words, dimensions).
    """

    vectors: Tensor

    def __init__(self, shape: NetworkShape, settings: TrainingSettings, vectors: NDArray[np.float32]) -> None:
        super().__init__()
        # The row after the last word is the padding.
        padded = np.vstack([vectors, np.zeros((1, vectors.shape[1]), dtype=np.float32)])
        self.register_buffer("vectors", torch.from_numpy(padded))
        self.reads_texts = bool(shape.attend)
        text = 2 * shape.compare[-1] if shape.compare else 0
        self.attend = _dense((shape.dimensions, *shape.attend), settings)
        self.compare = _dense((2 * shape.dimensions, *shape.compare), settings)
        self.classify = _dense((text + shape.features, *shape.classify), settings)
        self.last = nn.Linear((shape.classify or (text + shape.features,))[-1], CLASSES)
        self.apply(_initialise(settings))

    def forward(self, features: Tensor, query: Tensor, candidate: Tensor) -> Tensor:
        """Log-odds of the classes, before softmax.

        Args:
            features: scaled to [0, 1], shape (pairs, features).
            query: word numbers, shape (pairs, words), padded with the number after the last word.
            candidate: as ``query``.
        """
        inputs = [*([self._compared(query, candidate)] if self.reads_texts else []), features]
        return cast(Tensor, self.last(self.classify(torch.cat(inputs, dim=1))))

    def _compared(self, query: Tensor, candidate: Tensor) -> Tensor:
        a, b = self.vectors[query], self.vectors[candidate]
        in_a, in_b = (words < len(self.vectors) - 1 for words in (query, candidate))
        alike = self.attend(a) @ self.attend(b).transpose(1, 2)
        beta = _softmax(alike, in_b[:, None, :], dim=2) @ b
        alpha = _softmax(alike, in_a[:, :, None], dim=1).transpose(1, 2) @ a
        compared = (self.compare(torch.cat([a, beta], dim=2)), self.compare(torch.cat([b, alpha], dim=2)))
        sums = [(each * mask[:, :, None]).sum(dim=1) for each, mask in zip(compared, (in_a, in_b), strict=True)]
        return torch.cat(sums, dim=1)


def tensors(
    examples: TrainingExamples, low: NDArray[np.float64], high: NDArray[np.float64], words: int
) -> tuple[Tensor, ...]:
    """The inputs of the network for a batch.

    Args:
        examples: the batch.
        low: minimum of each feature in the training data.
        high: maximum of each feature in the training data.
        words: number of words with vectors.
    """
    features = torch.from_numpy(scaled(examples.features, low, high).astype(np.float32))
    texts = [
        pad_sequence([torch.from_numpy(numbers) for numbers in side], batch_first=True, padding_value=words)
        for side in (examples.query_words, examples.candidate_words)
    ]
    return features, *texts


def in_numpy(trained: PairNetwork, low: NDArray[np.float64], high: NDArray[np.float64]) -> Network:
    """Convert the trained network to NumPy; batch normalisation is folded into the following dense layer."""
    return Network(
        low=low,
        high=high,
        attend=_layers(trained.attend),
        compare=_layers(trained.compare),
        classify=_layers(nn.Sequential(*trained.classify, trained.last)),
    )


def _dense(sizes: Sequence[int], settings: TrainingSettings) -> nn.Sequential:
    """Dense layers, each followed by a rectified linear activation and dropout."""
    layers: list[nn.Module] = []
    for inputs, nodes in pairwise(sizes):
        layers += [nn.BatchNorm1d(inputs)] if settings.batch_norm else []
        layers += [nn.Linear(inputs, nodes), nn.ReLU(), nn.Dropout(settings.dropout)]
    return nn.Sequential(*layers)


def _initialise(settings: TrainingSettings) -> Any:
    """Gaussian of variance 0.01 for attention, Glorot's normal for batch normalisation (Xu et al. 2018, section 5)."""

    def initialise(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            if settings.batch_norm:
                nn.init.xavier_normal_(module.weight)
                nn.init.zeros_(module.bias)
            else:
                nn.init.normal_(module.weight, std=0.1)
                nn.init.normal_(module.bias, std=0.1)

    return initialise


def _softmax(values: Tensor, mask: Tensor, *, dim: int) -> Tensor:
    """Softmax over positions with words; 0 everywhere without words."""
    hidden = values.masked_fill(~mask, -torch.inf)
    return torch.nan_to_num(torch.softmax(hidden, dim=dim))


def _layers(modules: nn.Sequential) -> Layers:
    found: list[Dense] = []
    before: nn.BatchNorm1d | None = None
    for module in modules:
        if isinstance(module, nn.BatchNorm1d):
            before = module
        elif isinstance(module, nn.Linear):
            weights, biases = _array(module.weight).T, _array(module.bias)
            if before is not None:
                scale = _array(before.weight) / np.sqrt(_array(before.running_var) + before.eps)
                biases = biases + (_array(before.bias) - _array(before.running_mean) * scale) @ weights
                weights, before = scale[:, None] * weights, None
            found.append(Dense(np.ascontiguousarray(weights), biases))
    return tuple(found)


def _array(tensor: Tensor | None) -> NDArray[np.float64]:
    assert tensor is not None, "every layer has weights, biases and running statistics"
    return tensor.detach().cpu().double().numpy()
