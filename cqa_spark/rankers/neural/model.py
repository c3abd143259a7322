"""A trained network as a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import ModelDescription, RankerModel
from cqa_spark.rankers.neural.network import Network
from cqa_spark.rankers.pair_words import CANDIDATE_WORDS, QUERY_WORDS, Numbers, require_words, word_numbers
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.text.word_vectors import WordVectors

_NETWORK, _WORDS = "network", "words"


@dataclass(frozen=True, eq=False)
class NetworkModel(RankerModel):
    """The score is the probability that the candidate is relevant, by a trained network."""

    network: Network

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The network's output for relevant."""
        rows = candidates.of(self.description.features)
        return np.array([self.network.probability(row, ()) for row in rows], dtype=np.float64)

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> NetworkModel:
        """Read the network."""
        return cls(description, _load_network(description, folder, dimensions=0))

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the network."""
        self.network.save(folder.within(_NETWORK))


class Attention(NamedTuple):
    """Attention weights between the words of two texts.

    Attributes:
        query: words of the query used by the network.
        candidate: words of the candidate used by the network.
        weights: before softmax, shape (words of the query, words of the candidate).
    """

    query: Sequence[str]
    candidate: Sequence[str]
    weights: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TextNetworkModel(NetworkModel):
    """A network on the words of both texts, and the vectors of the words."""

    vectors: WordVectors

    def transform(self, frame: DataFrame) -> DataFrame:
        """Score candidates; requires the word columns."""
        require_words(frame, self.description.ranker)
        return super().transform(frame)

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The network's output for relevant."""
        texts = (self.numbers(candidates.examples.column(name)) for name in (QUERY_WORDS, CANDIDATE_WORDS))
        pairs = zip(candidates.of(self.description.features), *texts, strict=True)
        found = [self.network.probability(row, (self._vectors[q], self._vectors[c])) for row, q, c in pairs]
        return np.array(found, dtype=np.float64)

    def numbers(self, words: pa.ChunkedArray) -> list[Numbers]:
        """The words of each text used by the network, as indices into the vocabulary."""
        return word_numbers(words, self._vocabulary, self.description.parameters["most_words"])

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> TextNetworkModel:
        """Read the word vectors and the network."""
        vectors = WordVectors.load(folder.within(_WORDS))
        dimensions = vectors.vocabulary.vectors.shape[1]
        return cls(description, _load_network(description, folder, dimensions), vectors)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the word vectors and the network."""
        super().save_learned(folder)
        self.vectors.save(folder.within(_WORDS))

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        return self.vectors.vocabulary.vectors

    @cached_property
    def _vocabulary(self) -> pa.Array:
        return pa.array(self.vectors.vocabulary.words, pa.string())


class AlignmentModel(TextNetworkModel):
    """A network that aligns the words of both texts."""

    def attention(self, query: Sequence[str], candidate: Sequence[str]) -> Attention:
        """Attention weights between the words of two texts."""
        texts = self.numbers(pa.chunked_array([[list(query), list(candidate)]], pa.list_(pa.string())))
        weights = self.network.attention(*(self._vectors[numbers] for numbers in texts))
        known = self.vectors.vocabulary.words
        asked, said = ([known[number] for number in numbers] for numbers in texts)
        return Attention(asked, said, weights)


def _load_network(description: ModelDescription, folder: ModelFolder, dimensions: int) -> Network:
    ranker: Any = build_ranker(description.ranker, description.parameters)
    return Network.load(folder.within(_NETWORK), ranker.shape(len(description.features), dimensions))
