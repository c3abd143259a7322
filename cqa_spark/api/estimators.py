"""Rankers as estimators of ``pyspark.ml``: for pipelines, cross-validation and saving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pyspark import SparkContext
from pyspark.ml import Estimator, Model
from pyspark.ml.evaluation import Evaluator
from pyspark.ml.param import Param, Params
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.evaluation.measure_totals import measure_totals
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.lake.query_measures import by_measure
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.model_folder.reading import open_model_folder
from cqa_spark.model_folder.writing import new_model_folder
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.registry import RANKERS, build_ranker
from cqa_spark.rankers.saved_model import load_model

SCORE, PREDICTED = "score", "predicted"
"""Columns that a model adds: the score, higher is better, and whether the candidate is predicted relevant."""

_COLUMNS = ("queryCol", "candidateCol", "labelCol")
_GIVEN = "given__"
_PARENT = Params._dummy()  # as for the parameters of Spark's own estimators
_MODEL, _SYSTEM = "ranker", "system"


class Saved(MLReadable[Any], MLWritable):
    """An estimator or model of this package: its metadata are saved, and what a subclass adds to them."""

    def _names(self) -> dict[str, Any]:
        """What the metadata have beside the parameters."""
        return {}

    def _save(self, path: str) -> None:
        """Save the fitted parts as model folders, whose loading runs no code from them."""

    @classmethod
    def _restored(cls, metadata: Mapping[str, Any], path: str) -> Self:
        """The saved instance, before it gets its parameters."""
        raise NotImplementedError

    def write(self) -> MLWriter:
        """Writes names and parameters, and the fitted parts as model folders, whose loading runs no code from them."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Self]:
        """Reads what ``write`` wrote."""
        return _Reader(cls)


class _Writer(MLWriter):
    def __init__(self, instance: Any) -> None:
        super().__init__()
        self._instance = instance

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self._instance, path, SparkContext.getOrCreate(), self._instance._names())
        self._instance._save(path)


class _Reader(MLReader[Any]):
    def __init__(self, kind: type[Saved]) -> None:
        super().__init__()
        self._kind = kind

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, SparkContext.getOrCreate())
        instance: Any = self._kind._restored(metadata, path)
        DefaultParamsReader.getAndSetParams(instance, metadata)
        instance._resetUid(metadata["uid"])
        return instance


class _RankingParams(Params):
    """The columns of a frame of candidates."""

    features: Param[list[str]] = Param(_PARENT, "features", "names of the feature columns, which are numbers")
    queryCol: Param[str] = Param(_PARENT, "queryCol", "column with the query")
    candidateCol: Param[str] = Param(_PARENT, "candidateCol", "column with the candidate, distinct within a query")
    labelCol: Param[str] = Param(_PARENT, "labelCol", "column with the graded relevance; 0 and false are not relevant")

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(queryCol="query_id", candidateCol="candidate_id", labelCol="label")

    def _examples(self, frame: DataFrame) -> DataFrame:
        """The candidates as rows of ``EXAMPLES`` with features; unlabelled if the frame has no label."""
        query, candidate, label = (
            self.getOrDefault(each) for each in (self.queryCol, self.candidateCol, self.labelCol)
        )
        grade = F.col(label).cast("int") if label in frame.columns else F.lit(None).cast("int")
        ids = [F.col(name).cast("string") for name in (query, candidate)]
        rank = F.row_number().over(Window.partitionBy(ids[0]).orderBy(ids[1]))
        examples = frame.select(
            F.lit("").alias("site"), F.lit("ranking").alias("task"), ids[0].alias("query_id"),
            ids[1].alias("candidate_id"), ids[0].alias("thread_id"), ids[0].alias("fold_key"),
            rank.alias("initial_rank"), grade.alias("label"), (grade > 0).alias("relevant"),
            grade.cast("double").alias("similarity"), F.lit("train").alias("split"),
            *[F.col(name).cast("double").alias(_GIVEN + name) for name in self.getOrDefault(self.features)],
        )  # fmt: skip
        absent = [field for field in EXAMPLES.columns if field.name not in examples.columns]
        return examples.select("*", *[F.lit(None).cast(field.dataType).alias(field.name) for field in absent])


class RankerEstimator(Estimator, _RankingParams, Saved):
    """A ranker of the project as an estimator.

    Every parameter of the ranker is a ``Param``, so that ``ParamGridBuilder`` can vary it. ``CrossValidator`` has to
    keep the candidates of a query together: give it a column of folds by query with ``foldCol``.

    Args:
        ranker: name of the ranker, as ``cqa rankers list`` prints it.
        features: names of the feature columns.
        parameters: parameters of the ranker, and ``queryCol``, ``candidateCol`` and ``labelCol``.

    Raises:
        ConfigError: an unknown ranker or parameter.
    """

    def __init__(self, ranker: str, features: Sequence[str], **parameters: Any) -> None:
        super().__init__()
        self._ranker = ranker
        self._fields = RANKERS.load(ranker).parameters_type.model_fields
        for name, field in self._fields.items():
            setattr(self, name, Param(self, name, field.description or ""))
        build_ranker(ranker, {name: value for name, value in parameters.items() if name not in _COLUMNS})
        self._set(features=list(features), **parameters)

    def _fit(self, dataset: DataFrame) -> RankingModel:
        given = {name: self.getOrDefault(name) for name in self._fields if self.isSet(name)}
        model = build_ranker(self._ranker, given).fit(self._examples(dataset))
        return self._copyValues(RankingModel(model))

    def _names(self) -> dict[str, Any]:
        return {_MODEL: self._ranker}

    @classmethod
    def _restored(cls, metadata: Mapping[str, Any], path: str) -> Self:
        return cls(metadata[_MODEL], **metadata["paramMap"])


class RankingModel(Model, _RankingParams, Saved):
    """A fitted ranker.

    Args:
        ranker: the model.
    """

    def __init__(self, ranker: RankerModel) -> None:
        super().__init__()
        self.ranker = ranker

    def _transform(self, dataset: DataFrame) -> DataFrame:
        """The frame with ``SCORE`` and ``PREDICTED``."""
        query, candidate = self.getOrDefault(self.queryCol), self.getOrDefault(self.candidateCol)
        scored = self.ranker.transform(self._examples(dataset)).select(
            F.col("query_id").alias("_query"), F.col("candidate_id").alias("_candidate"), SCORE, PREDICTED
        )
        keys = [F.col(query).cast("string") == F.col("_query"), F.col(candidate).cast("string") == F.col("_candidate")]
        return dataset.join(scored, on=keys).drop("_query", "_candidate")

    def _save(self, path: str) -> None:
        with new_model_folder(f"{path}/{_MODEL}", "ranker", ObjectStorageSettings()) as folder:
            self.ranker.save(folder)

    @classmethod
    def _restored(cls, metadata: Mapping[str, Any], path: str) -> Self:
        return cls(load_model(open_model_folder(f"{path}/{_MODEL}", "ranker", ObjectStorageSettings())))


class RankingEvaluator(Evaluator, _RankingParams):
    """A measure of rankings, for ``CrossValidator``.

    Args:
        measure: display name, such as ``MAP@10``.
        columns: ``queryCol``, ``candidateCol`` and ``labelCol``.
    """

    def __init__(self, measure: str = "MAP@10", **columns: str) -> None:
        super().__init__()
        self._measure = parse_measure(measure)
        self._set(features=[], **columns)

    def _evaluate(self, dataset: DataFrame) -> float:
        examples = self._examples(dataset)
        score = dataset.select(
            F.col(self.getOrDefault(self.queryCol)).cast("string").alias("query_id"),
            F.col(self.getOrDefault(self.candidateCol)).cast("string").alias("candidate_id"),
            SCORE,
            PREDICTED,
        )
        best_first = Window.partitionBy("query_id").orderBy(F.col(SCORE).desc(), "candidate_id")
        rankings = examples.select("site", "task", "split", "query_id", "candidate_id").join(
            score.withColumn("rank", F.row_number().over(best_first)), on=["query_id", "candidate_id"]
        )
        measured = by_measure(query_metrics(rankings.withColumn(_SYSTEM, F.lit("")), examples, [self._measure]))
        return measure_totals(measured, str(self._measure), [_SYSTEM])[("",)]
