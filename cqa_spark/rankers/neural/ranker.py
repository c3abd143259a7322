"""Base classes of neural rankers: their parameters, and training in Spark tasks, on features or also on texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.training_data import fold_of
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.process.failures import require_extra
from cqa_spark.rankers.candidates import WORD_COLUMNS, require_words
from cqa_spark.rankers.neural.model import TextNetworkModel
from cqa_spark.rankers.neural.network import Network, NetworkShape
from cqa_spark.rankers.neural.training_data import TrainingExamples, TrainingRows, training_rows
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.scoring import VALUES, with_values
from cqa_spark.rankers.training_group import group_of_tasks, require_executors_for
from cqa_spark.rankers.tuning_ranges import Between
from cqa_spark.text.word_vectors import RAREST, WordVectors

Nodes = tuple[Annotated[int, Field(ge=1)], ...]

_WORDS = "words"
_OUTCOME = "low array<double>, high array<double>, graph binary"


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
        parameters = self.parameters
        parameters.require_environment()
        task = _Task(
            shape=self.shape(len(training.features), vectors.shape[1]),
            parameters=parameters,
            vocabulary=tuple(vocabulary),
            vectors=vectors.astype(np.float32),
            most_words=most_words,
        )
        is_held_out = fold_of(parameters.validation_folds, parameters.seed) == 0
        rows = with_values(training.frame, training.features).select(
            F.dense_rank().over(Window.orderBy(*QUERY)).alias("query_number"),
            "candidate_id",
            F.col("relevant").cast("bigint").alias("target"),
            is_held_out.alias("held_out"),
            VALUES,
            *(WORD_COLUMNS if vocabulary else ()),
        )
        # A partition per worker, with whole queries in order. Hash partitioning may leave a partition empty.
        by_worker = rows.repartitionByRange(parameters.workers, "query_number")
        in_order = by_worker.sortWithinPartitions("query_number", "candidate_id").drop("candidate_id")
        (trained,) = in_order.mapInArrow(task, _OUTCOME, barrier=parameters.workers > 1).collect()
        return Network(np.array(trained["low"]), np.array(trained["high"]), bytes(trained["graph"]))


@dataclass(frozen=True)
class _Task:
    """Trains on the rows of a task, together with the other tasks."""

    shape: NetworkShape
    parameters: NeuralParameters
    vocabulary: tuple[str, ...]
    vectors: NDArray[np.float32]
    most_words: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from cqa_spark.rankers.neural.training import train_network  # imports JAX

        rows = pa.Table.from_batches(batches)
        examples = TrainingExamples.of(rows, self.shape.features, self.vocabulary, self.most_words)
        with group_of_tasks(self.parameters.workers) as group:
            network = train_network(
                self.shape,
                self.parameters,
                self.vectors,
                examples,
                rows.column("held_out").to_numpy(),
                group,
            )
        if group.number == 0:
            learned = {"low": [network.low], "high": [network.high], "graph": [network.graph]}
            yield pa.RecordBatch.from_pydict(learned)


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
        with training_rows(frame, needs_features=False) as training:
            # The distinct texts of queries and candidates.
            queries, candidates = (training.frame.select(F.col(name).alias(_WORDS)) for name in WORD_COLUMNS)
            text_id = F.sha2(F.concat_ws(" ", _WORDS), 256).alias("text_id")
            texts = queries.unionByName(candidates).select(text_id, _WORDS).distinct()
            vectors = WordVectors.learn(texts, _WORDS, ("train",))
            vocabulary = vectors.vocabulary
            if not vocabulary.words:
                raise InputError(
                    f"no word occurs {RAREST} times in the texts of the {training.counts.rows} training examples",
                    "train on more examples, or use a ranker without texts",
                )
            network = self.train(training, vocabulary.words, vocabulary.vectors, self.parameters.most_words)
        threshold = self.parameters.threshold
        description = self.describe(training.features, threshold=threshold, training=training.counts)
        return self.model_type(description, network, vectors)
