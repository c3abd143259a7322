"""Trained networks that score pairs of query and candidate, and their sizes; ONNX Runtime evaluates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.networks.scoring import input_lengths, run

Reals = NDArray[np.float64]
Texts = Sequence[NDArray[np.floating[Any]]]
"""The word vectors of each text, of shape (words, dimensions)."""

DIGITS = 6
"""Decimal places of a probability; further places differ between CPUs."""

TEXTS = "query", "candidate"
_GRAPH = "network.onnx"


@dataclass(frozen=True)
class WordAlignment:
    """Sizes of a network that aligns and compares the words of both texts.

    Attributes:
        attend: nodes of each layer of F, which transforms words for the attention.
        compare: nodes of each layer of G, which compares a word with its alignment.
    """

    attend: tuple[int, ...]
    compare: tuple[int, ...]


@dataclass(frozen=True)
class SiameseEncoder:
    """Sizes of a network that makes a vector of each text.

    Attributes:
        kind: the encoder.
        nodes: number of filters of the convolution, or nodes of the LSTM in each direction.
        window: number of words that a filter sees.
    """

    kind: Literal["convolution", "lstm"]
    nodes: int
    window: int


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of a network.

    Attributes:
        features: number of features.
        dimensions: length of a word vector; 0 for no texts.
        texts: the part that reads texts; None for features alone.
        classify: nodes of each hidden layer of H, which classifies the pair.
        dropout: dropout rate after each layer.
        batch_norm: whether the inputs of each layer are normalised over the batch.
    """

    features: int
    dimensions: int
    texts: WordAlignment | SiameseEncoder | None
    classify: tuple[int, ...]
    dropout: float = 0.5
    batch_norm: bool = False


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network. Pairs are scored one at a time, so that a score does not depend on other pairs.

    Attributes:
        low: minimum of each feature in the training data, shape (features,).
        high: maximum of each feature in the training data.
        graph: content of an ONNX file.
    """

    low: Reals
    high: Reals
    graph: bytes

    def probability(self, features: Reals, texts: Texts) -> float:
        """The probability that a candidate is relevant, rounded.

        Args:
            features: shape (features,).
            texts: query and candidate; empty for a network without texts.
        """
        inputs = self.inputs(features[None], *[[text] for text in texts])
        log_odds = run(self.graph, "log_odds", inputs)
        return round(float(expit(np.float64(log_odds[0, 0]))), DIGITS)

    def attention(self, query: Reals, candidate: Reals) -> Reals:
        """The unnormalised attention weights e of a pair (Xu et al. 2018, section 4.1.1).

        Args:
            query: its word vectors, shape (words, dimensions).
            candidate: its word vectors.

        Returns:
            Shape (words of the query, words of the candidate).
        """
        inputs = self.inputs(self.low[None], [query], [candidate])
        return run(self.graph, "attention", inputs)[0, : len(query), : len(candidate)].astype(np.float64)

    def inputs(self, features: Reals, *sides: Texts, length: int = 1) -> dict[str, NDArray[np.float32]]:
        """The inputs of the graph.

        Args:
            features: shape (pairs, features).
            sides: the query of each pair, and the candidate of each pair; none for a network without texts.
            length: minimum number of words, with padding.
        """
        inputs = {"features": scaled(features, self.low, self.high).astype(np.float32)}
        for name, texts in zip(TEXTS, sides, strict=False):
            # Each row has the words of a text, then padding; a text without words is padding alone.
            words = max(length, *map(len, texts))
            vectors = np.zeros((len(texts), words, texts[0].shape[1]), dtype=np.float32)
            is_word = np.zeros((len(texts), words), dtype=np.float32)
            for row, text in enumerate(texts):
                vectors[row, : len(text)] = text
                is_word[row, : len(text)] = 1.0
            inputs |= {name: vectors, f"{name}_is_word": is_word}
        return inputs

    def save(self, folder: NewModelFolder) -> None:
        """Write the range of the features, and the graph."""
        folder.write_array("low.npy", self.low)
        folder.write_array("high.npy", self.high)
        folder.write_bytes(_GRAPH, self.graph)

    @classmethod
    def load(cls, folder: ModelFolder, shape: NetworkShape) -> Network:
        """Read a network.

        Raises:
            ContractError: a file is no ONNX graph, or does not fit the sizes.
        """
        low, high = (folder.read_array(f"{name}.npy", (shape.features,)) for name in ("low", "high"))
        graph = folder.read_bytes(_GRAPH)
        texts = dict.fromkeys(TEXTS, shape.dimensions) if shape.texts is not None else {}
        try:
            lengths = input_lengths(graph)
        except Exception as error:  # the library's errors have no other common class
            raise folder.refusal(_GRAPH, str(error)) from error
        for name, expected in {"features": shape.features, **texts}.items():
            if lengths.get(name) != expected:
                raise folder.refusal(_GRAPH, f"its input {name} has the length {lengths.get(name)}, not {expected}")
        return cls(low, high, graph)


def scaled(values: Reals, low: Reals, high: Reals) -> Reals:
    """Features scaled linearly to [0, 1] by the range of the training data; 0 for constant features."""
    return np.divide(values - low, high - low, out=np.zeros_like(values), where=high > low)
