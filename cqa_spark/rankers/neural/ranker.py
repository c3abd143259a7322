"""Base class of rankers that train a network with JAX."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.training_data import fold_of
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.candidates import (
    CANDIDATE_WORDS,
    QUERY_WORDS,
    WORD_COLUMNS,
    Candidates,
    Numbers,
    require_words,
    word_numbers,
)
from cqa_spark.rankers.model import ModelDescription, RankerModel
from cqa_spark.rankers.neural.network import Network, NetworkShape
from cqa_spark.rankers.neural.training import NeuralParameters, TrainingExamples, TrainingRows, training_rows
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.rankers.scoring import VALUES, with_values
from cqa_spark.rankers.training import group_of_tasks
from cqa_spark.text.word_vectors import RAREST, WordVectors

P = TypeVar("P", bound=NeuralParameters)


class NeuralRanker(Ranker[P]):
    """A pointwise ranker: a network trained with JAX in one task of Spark, or in several that exchange gradients.

    Training uses cross-entropy, Adam, and dropout after every dense layer. After each epoch, the network ranks the
    validation fold, and the best epoch is kept (Xu et al. 2018, section 5). With one worker, training is deterministic
    on a given machine.
    """

    gives_probabilities = True

    @abstractmethod
    def shape(self, features: int, dimensions: int) -> NetworkShape:
        """The sizes of the network.

        Args:
            features: number of features.
            dimensions: length of a word vector; 0 without texts.
        """

    def train(
        self, training: TrainingRows, vocabulary: Sequence[str], vectors: NDArray[np.float64], most_words: int = 0
    ) -> Network:
        """Train the network.

        Args:
            training: the examples.
            vocabulary: the words with vectors; empty without texts.
            vectors: their vectors, shape (words, dimensions).
            most_words: maximum number of words of each text.
        """
        given = self.parameters
        given.require_environment()
        run = _Task(
            shape=self.shape(len(training.features), vectors.shape[1]),
            given=given,
            vocabulary=tuple(vocabulary),
            vectors=vectors.astype(np.float32),
            most_words=most_words,
        )
        rows = self._rows(training, with_words=bool(vocabulary))
        (trained,) = rows.mapInArrow(run, _OUTCOME, barrier=given.workers > 1).collect()
        return Network(np.array(trained["low"]), np.array(trained["high"]), bytes(trained["graph"]))

    def _rows(self, training: TrainingRows, *, with_words: bool) -> DataFrame:
        """The input of the processes: one partition per worker, with whole queries in order."""
        held_out = fold_of(self.parameters.validation_folds, self.parameters.seed) == 0
        target, words = F.col("relevant").cast("bigint"), WORD_COLUMNS if with_words else ()
        number = F.dense_rank().over(Window.orderBy(*QUERY)).alias("query_number")
        rows = with_values(training.frame, training.features).select(
            number, "candidate_id", target.alias("target"), held_out.alias("held_out"), VALUES, *words
        )
        # Range partitioning, because hash partitioning may leave a partition empty.
        placed = rows.repartitionByRange(self.parameters.workers, "query_number")
        return placed.sortWithinPartitions("query_number", "candidate_id").drop("candidate_id")


_OUTCOME = "low array<double>, high array<double>, graph binary"


@dataclass(frozen=True)
class _Task:
    """Trains on the rows of a task, together with the other tasks."""

    shape: NetworkShape
    given: NeuralParameters
    vocabulary: tuple[str, ...]
    vectors: NDArray[np.float32]
    most_words: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # The module imports JAX.
        from cqa_spark.rankers.neural.training import train_network

        rows = pa.Table.from_batches(batches)
        examples = TrainingExamples.of(rows, self.shape.features, self.vocabulary, self.most_words)
        with group_of_tasks(self.given.workers) as group:
            network = train_network(
                self.shape,
                self.given,
                self.vectors,
                examples,
                rows.column("held_out").to_numpy(),
                group,
            )
        if group.number == 0:
            learned = {"low": [network.low], "high": [network.high], "graph": [network.graph]}
            yield pa.RecordBatch.from_pydict(learned)


# A trained network as a model.

_NETWORK, _WORD_TABLE = "network", "words"


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
        texts = self.numbers(pa.chunked_array([[list(query), list(candidate)]], pa.list_(pa.string())))
        weights = self.network.attention(*(self._vectors[numbers] for numbers in texts))
        known = self.vectors.vocabulary.words
        asked, said = ([known[number] for number in numbers] for numbers in texts)
        return Attention(asked, said, weights)


def _load_network(description: ModelDescription, folder: ModelFolder, dimensions: int) -> Network:
    ranker: Any = build_ranker(description.ranker, description.parameters)
    return Network.load(folder.within(_NETWORK), ranker.shape(len(description.features), dimensions))


# Neural rankers that read the words of query and candidate.

_WORDS = "words"


class TextNetworkParameters(NeuralParameters):
    """Parameters of a network that reads texts."""

    most_words: int = Field(200, ge=1, description="maximum number of content words of each text")

    def reads_texts(self) -> bool:
        """Always."""
        return True


T = TypeVar("T", bound=TextNetworkParameters)


class TextNetworkRanker(NeuralRanker[T]):
    """Word vectors are trained on the texts of the training examples and then frozen."""

    model_type: ClassVar[type[TextNetworkModel]] = TextNetworkModel

    def fit(self, frame: DataFrame) -> TextNetworkModel:
        """Train word vectors on the texts, and learn ``relevant`` from texts and features.

        Raises:
            ContractError: the word columns are missing.
            InputError: no word is frequent enough for a vector.
        """
        require_words(frame, self.name)
        given = self.parameters
        with training_rows(frame, needs_features=False) as training:
            vectors = WordVectors.learn(_texts(training.frame), _WORDS, ("train",))
            known = vectors.vocabulary
            if not known.words:
                raise InputError(
                    f"no word occurs {RAREST} times in the texts of the {training.counts.rows} training examples",
                    "train on more examples, or use a ranker without texts",
                )
            network = self.train(training, known.words, known.vectors, given.most_words)
        description = self.describe(training.features, threshold=given.threshold, training=training.counts)
        return self.model_type(description, network, vectors)


def _texts(frame: DataFrame) -> DataFrame:
    """The distinct texts of queries and candidates."""
    both = [frame.select(F.col(name).alias(_WORDS)) for name in WORD_COLUMNS]
    texts = both[0].unionByName(both[1])
    return texts.select(F.sha2(F.concat_ws(" ", _WORDS), 256).alias("text_id"), _WORDS).distinct()
