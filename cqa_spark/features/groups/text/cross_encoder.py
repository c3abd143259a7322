"""Relevance of a candidate by a cross-encoder fine-tuned on the training pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Reach
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.cross_encoding.model import Transformer
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings

if TYPE_CHECKING:
    from cqa_spark.text.cross_encoding.cross_encoder import EncodedTexts

MOST_PAIRS = 50_000
"""Maximum number of training pairs, which bounds the time and the memory of a task."""

_WEIGHTS, _TRANSFORMER = "upper_layers.safetensors", "transformer.json"
_LEARNED = "model int, weights binary"
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
        weights: the fine-tuned layers.
    """

    settings: ClassVar[CrossEncoderSettings]

    family: ClassVar[str] = "quality"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (_COLUMN,)
    reads_comments: ClassVar[bool] = False
    reach: ClassVar[Reach] = Reach.THREAD
    extra: ClassVar[str] = "neural"
    libraries: ClassVar[tuple[str, ...]] = ("torch", "safetensors")
    learns_from_labels: ClassVar[bool] = True

    def __init__(self, weights: bytes) -> None:
        self.weights = weights

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fine-tune in one Spark job with a task for each set of training pairs."""
        learned = _pairs(training).mapInArrow(_learning(cls.settings), _LEARNED).collect()
        of_model = {row["model"]: cls(bytes(row["weights"])) for row in learned}
        if len(of_model) <= training.folds:
            raise ContractError(
                f"{cls.name} needs judged pairs with texts in at least two folds",
                "train on more threads, or leave the group out",
            )
        return Fitted(of_model[training.folds], tuple(of_model[fold] for fold in range(training.folds)))

    def compute(self, batch: QueryBatch) -> Mapping[str, NDArray[np.float64]]:
        """Score each pair; NaN without texts."""
        encoded = batch.texts.derive(_encoded, self.settings)
        found = np.full(len(batch), np.nan)
        for place in np.flatnonzero((batch.query_text != ABSENT) & (batch.candidate_text != ABSENT)).tolist():
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


class CrossEncoderV1(CrossEncoderGroup):
    """A small transformer with two trained layers, for training on a CPU."""

    name: ClassVar[str] = "cross_encoder_v1"
    about: ClassVar[str] = "relevance by a small transformer that reads both texts; its upper layers are fine-tuned"
    settings: ClassVar[CrossEncoderSettings] = CrossEncoderSettings(
        transformer="minilm_l6",
        trained_layers=2,
        first_tokens=64,
        second_tokens=96,
        epochs=2,
        batch=32,
        learning_rate=3e-4,
    )


def _encoded(texts: Texts, settings: CrossEncoderSettings) -> EncodedTexts:
    # The module imports PyTorch.
    from cqa_spark.text.cross_encoding.cross_encoder import EncodedTexts

    return EncodedTexts(texts.clean, settings)


def _pairs(training: TrainingData) -> DataFrame:
    """The judged pairs of each model, in its own partition; a model omits the fold of its number, the last one none."""
    inputs, folds = training.inputs, training.folds
    texts = inputs.texts.select("text_id", "clean")
    asked = (
        inputs.documents.select("site", F.col("document_id").alias("query_id"), "text_id")
        .join(texts, on="text_id")
        .select("site", "query_id", F.col("clean").alias("first"))
    )
    judged = training.judged.join(asked, on=["site", "query_id"]).join(
        texts.withColumnRenamed("clean", "second"), on="text_id"
    )
    sampled = sample_queries(judged, MOST_PAIRS, judged.count())
    models = F.explode(F.sequence(F.lit(0), F.lit(folds))).alias("model")
    by_model = sampled.select("*", models).where(F.col("model") != F.col("fold"))
    # Range partitioning, because hash partitioning may place two models in one partition.
    placed = by_model.repartitionByRange(folds + 1, "model")
    return placed.sortWithinPartitions("model", "site", "query_id", "candidate_id").select(
        "model", "first", "second", "relevant"
    )


def _learning(settings: CrossEncoderSettings) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def learn_models(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from cqa_spark.text.cross_encoding.cross_encoder import learn

        tables = list(batches)
        if not tables:
            return
        rows = pa.Table.from_batches(tables)
        for model in rows["model"].unique().to_pylist():
            own = rows.filter(pc.equal(rows["model"], model))
            weights = learn(
                own["first"].to_pylist(),
                own["second"].to_pylist(),
                own["relevant"].to_numpy().astype(bool),
                settings,
            )
            yield pa.RecordBatch.from_arrays(
                [pa.array([model], pa.int32()), pa.array([weights], pa.binary())], names=["model", "weights"]
            )

    return learn_models
