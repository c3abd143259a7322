"""Base class of rankers that train a network with JAX."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.features.folds import fold_of
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.neural.network import Network, NetworkShape
from cqa_spark.rankers.neural.parameters import NeuralParameters
from cqa_spark.rankers.neural.training_examples import TrainingExamples
from cqa_spark.rankers.neural.training_rows import TrainingRows
from cqa_spark.rankers.pair_words import WORD_COLUMNS
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.scoring import VALUES, with_values
from cqa_spark.rankers.training.group import group_of_tasks

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
