"""Relevance of a candidate by cross-encoders that are fine-tuned on the training pairs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.feature_table import KEY
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.groups.similarity.embedding_similarity import read_version, write_version
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData, sample_queries
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.process.failures import require_extra
from cqa_spark.spark.frames import partition_keys
from cqa_spark.text.cross_encoder import CrossEncoderSettings, EncodedTexts
from cqa_spark.text.encoders.encoder import load_encoder, ship
from cqa_spark.text.encoders.model import EmbeddingModel

MOST_PAIRS = 50_000
"""Maximum number of training pairs, which bounds the time and the memory of a task."""

_NOTHING = b""
_NETWORK = "upper_layers.onnx"
_COLUMN = FeatureColumn(
    "log_odds",
    "log-odds that the candidate is relevant, by a transformer that reads both texts",
    "Nogueira and Cho 2019, Passage Re-ranking with BERT, section 3.2; MacAvaney et al. 2020, section 3",
)


class CrossEncoderV1(FittedQueryGroup):
    """A small transformer, whose upper layers are fine-tuned on all training pairs, and on those outside of each fold.

    Args:
        network: the fine-tuned layers as an ONNX file; empty without training pairs.
    """

    settings: ClassVar = CrossEncoderSettings(
        transformer="minilm",
        trained_layers=2,
        first_tokens=48,
        second_tokens=80,
        epochs=1,
        batch=32,
        learning_rate=3e-4,
        workers=2,
    )

    name = "cross_encoder_v1"
    family = "quality"
    about = "relevance by a small transformer that reads both texts; its upper layers are fine-tuned"
    entity = Entity.PAIR
    columns = (_COLUMN,)
    extra = "neural"
    libraries = ("onnx",)
    learns_from_labels = True

    def __init__(self, network: bytes) -> None:
        self.network = network

    @classmethod
    def require_installed(cls) -> None:
        """Check that ONNX and the pretrained transformer are installed."""
        super().require_installed()
        load_encoder(EmbeddingModel.read(cls.settings.transformer))

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fine-tune in tasks of one Spark job, each of which holds the pairs; the driver receives networks only."""
        require_extra(cls.extra, ("jax", "onnx"), f"training the feature group {cls.name}")
        ship(training.inputs.texts.sparkSession, EmbeddingModel.read(cls.settings.transformer))
        run = _FineTuning(cls.settings, training.folds)
        rows = _pairs(training, run.tasks).mapInArrow(run, "excluded int, network binary").collect()
        learned = {row["excluded"]: cls(bytes(row["network"])) for row in rows}
        *rests, on_all = (learned.get(excluded, cls(_NOTHING)) for excluded in range(training.folds + 1))
        return Fitted(on_all, tuple(rests))

    def compute(self, batch: QueryBatch) -> Values:
        """Score each pair; NaN without texts or training pairs."""
        encoded = batch.texts.derive(_encoded, self.settings)
        scores = np.full(len(batch), np.nan)
        have_texts = (batch.query_text != ABSENT) & (batch.candidate_text != ABSENT) & bool(self.network)
        for pair in np.flatnonzero(have_texts).tolist():
            scores[pair] = encoded.score(self.network, int(batch.query_text[pair]), int(batch.candidate_text[pair]))
        return {_COLUMN.name: scores}

    def save(self, folder: NewModelFolder) -> None:
        """Write the fine-tuned layers, and the version of the transformer."""
        model = EmbeddingModel.read(self.settings.transformer)
        write_version(folder, model.name, model.version)
        folder.write_bytes(_NETWORK, self.network)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the fine-tuned layers.

        Raises:
            ContractError: the installed transformer has another version.
        """
        read_version(folder, cls.settings.transformer)
        spark = SparkSession.getActiveSession()
        if spark is not None:
            ship(spark, EmbeddingModel.read(cls.settings.transformer))
        return cls(folder.read_bytes(_NETWORK))


def _encoded(texts: Texts, settings: CrossEncoderSettings) -> EncodedTexts:
    return EncodedTexts(texts.clean, settings)


@dataclass(frozen=True)
class _FineTuning:
    """Fine-tunes the models of a task: on the complements of some of the folds, or on all pairs."""

    settings: CrossEncoderSettings
    folds: int

    @property
    def tasks(self) -> int:
        return min(self.settings.workers, self.folds + 1)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # The module imports JAX.
        from cqa_spark.text.cross_encoder_training import JudgedPairs, learn

        rows = pa.Table.from_batches(batches)
        relevant, fold = (rows[name].to_numpy() for name in ("relevant", "fold"))
        pairs = JudgedPairs(rows["first"].to_pylist(), rows["second"].to_pylist(), relevant, fold)
        excluded = range(rows["task"][0].as_py(), self.folds + 1, self.tasks)
        for number, network in zip(excluded, learn(pairs, self.settings, excluded), strict=True):
            yield pa.RecordBatch.from_pydict({"excluded": pa.array([number], pa.int32()), "network": [network]})


def _pairs(training: TrainingData, tasks: int) -> DataFrame:
    """The judged pairs, once for each task, in the order of queries and candidates."""
    inputs = training.inputs
    texts = inputs.texts.select("text_id", "clean")
    queries = (
        inputs.documents.select("site", F.col("document_id").alias("query_id"), "text_id")
        .join(texts, on="text_id")
        .select("site", "query_id", F.col("clean").alias("first"))
    )
    pairs = training.judged.join(queries, on=["site", "query_id"]).join(
        texts.withColumnRenamed("clean", "second"), on="text_id"
    )
    keys = partition_keys(texts.sparkSession, tasks)
    task = F.explode(F.create_map(*(F.lit(value) for item in enumerate(keys) for value in item))).alias("task", "key")
    for_tasks = sample_queries(pairs, MOST_PAIRS, pairs.count()).select("*", task)
    ordered = for_tasks.repartition(tasks, "key").sortWithinPartitions(*KEY)
    return ordered.select("task", "first", "second", "relevant", "fold")
