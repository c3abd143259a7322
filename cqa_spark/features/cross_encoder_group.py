"""Base class of groups that score pairs by a cross-encoder, fine-tuned on the training pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_rows import QUERY
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.process.extras import require_extra
from cqa_spark.spark.torch_distributor import train_on_partitions
from cqa_spark.text.cross_encoding.model import Transformer
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings

if TYPE_CHECKING:
    from cqa_spark.text.cross_encoding.cross_encoder import EncodedTexts

MOST_PAIRS = 50_000
"""Maximum number of training pairs, which bounds the time and the memory of a process."""

_NOTHING = b""
_WEIGHTS, _TRANSFORMER = "upper_layers.safetensors", "transformer.json"
_COLUMN = FeatureColumn(
    "log_odds",
    "log-odds that the candidate is relevant, by a transformer that reads both texts",
    "Nogueira and Cho 2019, Passage Re-ranking with BERT, section 3.2; MacAvaney et al. 2020, section 3",
)


class _Pretrained(BaseModel):
    """What ``transformer.json`` holds."""

    name: str
    version: str


class CrossEncoderGroup(FittedQueryGroup):
    """Base class of groups that fine-tune a transformer on all training pairs, and on those outside of each fold.

    Args:
        weights: the fine-tuned layers; empty without training pairs.
    """

    settings: ClassVar[CrossEncoderSettings]

    family: ClassVar[str] = "quality"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (_COLUMN,)
    extra: ClassVar[str] = "neural"
    libraries: ClassVar[tuple[str, ...]] = ("torch", "safetensors")
    learns_from_labels: ClassVar[bool] = True

    def __init__(self, weights: bytes) -> None:
        self.weights = weights

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fine-tune in the processes of one Spark job, which hold the pairs; the driver receives weights only."""
        require_extra(cls.extra, cls.libraries, f"training the feature group {cls.name}")
        # The module imports PyTorch.
        from cqa_spark.text.cross_encoding.learning import learn_partition

        rows, workers = _placed(training, cls.settings.workers)
        if not workers:
            return Fitted(cls(_NOTHING), (cls(_NOTHING),) * training.folds)
        *rests, on_all = train_on_partitions(learn_partition, rows, workers, cls.settings, training.folds)
        return Fitted(cls(on_all), tuple(map(cls, rests)))

    def compute(self, batch: QueryBatch) -> Mapping[str, NDArray[np.float64]]:
        """Score each pair; NaN without texts or training pairs."""
        encoded = batch.texts.derive(_encoded, self.settings)
        found = np.full(len(batch), np.nan)
        are_known = (batch.query_text != ABSENT) & (batch.candidate_text != ABSENT) & bool(self.weights)
        for place in np.flatnonzero(are_known).tolist():
            found[place] = encoded.score(self.weights, int(batch.query_text[place]), int(batch.candidate_text[place]))
        return {_COLUMN.name: found}

    def save(self, folder: NewModelFolder) -> None:
        """Write the fine-tuned layers, and the version of the transformer."""
        folder.write_json(_TRANSFORMER, self._pretrained())
        folder.write_bytes(_WEIGHTS, self.weights)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the fine-tuned layers.

        Raises:
            ContractError: the installed transformer has another version.
        """
        saved, installed = folder.read_json(_TRANSFORMER, _Pretrained), cls._pretrained()
        if saved != installed:
            raise ContractError(
                f"the system was trained with version {saved.version} of the transformer {saved.name}, and "
                f"conf/transformers/{installed.name}.yaml describes version {installed.version}",
                "restore that file, or train the system again",
            )
        return cls(folder.read_bytes(_WEIGHTS))

    @classmethod
    def _pretrained(cls) -> _Pretrained:
        transformer = Transformer.read(cls.settings.transformer)
        return _Pretrained(name=transformer.name, version=transformer.version)


def _encoded(texts: Texts, settings: CrossEncoderSettings) -> EncodedTexts:
    # The module imports PyTorch.
    from cqa_spark.text.cross_encoding.cross_encoder import EncodedTexts

    return EncodedTexts(texts.clean, settings)


def _placed(training: TrainingData, workers: int) -> tuple[DataFrame, int]:
    """The judged pairs in one partition per worker, whole queries in order; and the number of workers with pairs."""
    inputs = training.inputs
    texts = inputs.texts.select("text_id", "clean")
    asked = (
        inputs.documents.select("site", F.col("document_id").alias("query_id"), "text_id")
        .join(texts, on="text_id")
        .select("site", "query_id", F.col("clean").alias("first"))
    )
    pairs = training.judged.join(asked, on=["site", "query_id"]).join(
        texts.withColumnRenamed("clean", "second"), on="text_id"
    )
    most = min(workers, pairs.sparkSession.sparkContext.defaultParallelism)
    worker = F.pmod(F.xxhash64(*QUERY), F.lit(most)).alias("worker")
    counted = pairs.agg(F.count("*").alias("pairs"), F.count_distinct(worker).alias("workers")).first()
    assert counted is not None
    # Range partitioning, because hash partitioning may leave a partition empty.
    placed = sample_queries(pairs, MOST_PAIRS, counted["pairs"]).select("*", worker)
    ordered = placed.repartitionByRange(max(1, counted["workers"]), "worker").sortWithinPartitions(
        *QUERY, "candidate_id"
    )
    return ordered.select("first", "second", "relevant", "fold"), counted["workers"]
