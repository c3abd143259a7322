"""Models that are networks: on features alone, on features and the words of both texts, and with attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import CANDIDATE_WORDS, QUERY_WORDS, Candidates, Numbers, require_words, word_numbers
from cqa_spark.rankers.model import ModelDescription, RankerModel
from cqa_spark.rankers.neural.network import Network
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.text.word_vectors import WordVectors

_NETWORK, _WORD_TABLE = "network", "words"


@dataclass(frozen=True, eq=False)
class NetworkModel(RankerModel):
    """The score is the probability that the candidate is relevant, by a trained network."""

    network: Network

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The probability of relevance by the network."""
        rows = candidates.of(self.description.features)
        return np.array([self.network.probability(row, ()) for row in rows], dtype=np.float64)

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> NetworkModel:
        """Read the network."""
        return cls(description, _load_network(description, folder, dimensions=0))

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the network."""
        self.network.save(folder.within(_NETWORK))


def _load_network(description: ModelDescription, folder: ModelFolder, dimensions: int) -> Network:
    # The sizes of the network are not stored: the ranker's parameters say them.
    ranker: Any = build_ranker(description.ranker, description.parameters)
    return Network.load(folder.within(_NETWORK), ranker.shape(len(description.features), dimensions))


@dataclass(frozen=True, eq=False)
class TextNetworkModel(NetworkModel):
    """A network on the words of both texts, and the vectors of the words."""

    vectors: WordVectors

    def transform(self, frame: DataFrame) -> DataFrame:
        """Score candidates; requires the word columns."""
        require_words(frame, self.description.ranker)
        return super().transform(frame)

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The probability of relevance by the network."""
        queries = self.numbers(candidates.examples.column(QUERY_WORDS))
        texts = self.numbers(candidates.examples.column(CANDIDATE_WORDS))
        scores = np.empty(len(candidates))
        for row, features in enumerate(candidates.of(self.description.features)):
            words = self._vectors[queries[row]], self._vectors[texts[row]]
            scores[row] = self.network.probability(features, words)
        return scores

    def numbers(self, words: pa.ChunkedArray) -> list[Numbers]:
        """The words of each text used by the network, as indices into the vocabulary."""
        return word_numbers(words, self._vocabulary, self.description.parameters["most_words"])

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> TextNetworkModel:
        """Read the word vectors and the network."""
        vectors = WordVectors.load(folder.within(_WORD_TABLE))
        dimensions = vectors.vocabulary.vectors.shape[1]
        return cls(description, _load_network(description, folder, dimensions), vectors)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the word vectors and the network."""
        super().save_learned(folder)
        self.vectors.save(folder.within(_WORD_TABLE))

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
        texts = pa.chunked_array([[list(query), list(candidate)]], pa.list_(pa.string()))
        query_numbers, candidate_numbers = self.numbers(texts)
        weights = self.network.attention(self._vectors[query_numbers], self._vectors[candidate_numbers])
        vocabulary = self.vectors.vocabulary.words
        return Attention(
            [vocabulary[number] for number in query_numbers],
            [vocabulary[number] for number in candidate_numbers],
            weights,
        )


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
