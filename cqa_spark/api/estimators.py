"""Rankers and feature groups as estimators of ``pyspark.ml``: for pipelines, cross-validation and saving.

A ranker adds scores to pairs of texts, a feature group its columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Self

from pyspark import SparkContext
from pyspark.ml import Estimator, Model
from pyspark.ml.evaluation import Evaluator
from pyspark.ml.param import Param, Params
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.api.ranking import KEY, SITE, community_in_spark, require_columns
from cqa_spark.corpora.tables_conversion import PROBLEM, converted
from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import measure_totals, query_metrics
from cqa_spark.features.feature_table import assemble, feature_names
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.features.registry import embedding_models, group_class, require_libraries
from cqa_spark.features.training_data import Fitted
from cqa_spark.lake.model_folder import new_model_folder, open_model_folder
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import by_measure
from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranker import load_model
from cqa_spark.rankers.registry import RANKERS, build_ranker
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.systems.trained_system import load_groups, save_groups
from cqa_spark.task_contract.contract import task as task_named
from cqa_spark.text.analysers.analyser import analyse
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.encoders.encoder import embed, ship
from cqa_spark.text.encoders.model import EmbeddingModel

SCORE, PREDICTED = "score", "predicted"
"""Columns that a model adds: the score, higher is better, and whether the candidate is predicted relevant."""

_COLUMNS = ("queryCol", "candidateCol", "labelCol")
_GIVEN = "given__"
_PARENT = Params._dummy()  # as for the parameters of Spark's own estimators
_MODEL, _SYSTEM = "ranker", "system"


class Saved(MLReadable[Any], MLWritable):
    """An estimator or model of this package: its metadata are saved, and what a subclass adds to them."""

    def _names(self) -> dict[str, Any]:
        """Entries of the metadata beside the parameters."""
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
            self.getOrDefault(column) for column in (self.queryCol, self.candidateCol, self.labelCol)
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
        parameter_values = {name: self.getOrDefault(name) for name in self._fields if self.isSet(name)}
        model = build_ranker(self._ranker, parameter_values).fit(self._examples(dataset))
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


_STORAGE = ObjectStorageSettings()
_GROUP, _RESTS = "group", "rests"


class _GroupParams(Params):
    """The task of the pairs in a frame, and the folds for a group that learns from labels."""

    task: Param[str] = Param(_PARENT, "task", "task that the pairs are examples of")
    folds: Param[int] = Param(_PARENT, "folds", "folds of a group that learns from labels, by query")

    def _inputs(self, pairs: DataFrame, group: str) -> FeatureInputs:
        """The pairs as the input of a group; those with a label are training data.

        Raises:
            InputError: a column is missing.
        """
        require_columns(pairs.columns)
        task, spark = task_named(self.getOrDefault(self.task)), pairs.sparkSession
        tables = community_in_spark(pairs, task)
        community = []
        for table in (POSTS, COMMENTS, JUDGMENTS):
            if table.name not in tables:
                community.append(table.empty(spark))
                continue
            rows = converted(tables[table.name].withColumn("split", F.lit("train")), table, SITE, SITE)
            community.append(table.conform(rows.where(F.col(PROBLEM).isNull()).select(*table.schema.names)))
        posts, comments, judgments = community
        examples = task.build(posts, comments, judgments)
        split = F.when(F.col("relevant").isNull(), "test").otherwise("train")
        texts = TEXTS.empty(spark)
        models = [EmbeddingModel.read(name) for name in embedding_models([group])]
        if group_class(group).reads_texts:
            texts = analyse(distinct_texts(posts, comments))
        for model in models:
            ship(spark, model)
        vectors = [embed(texts.select("text_id", "clean"), model) for model in models]
        return FeatureInputs(
            examples=examples.withColumn("split", split), posts=posts, comments=comments,
            documents=documents(posts, comments), texts=texts,
            embeddings=reduce(DataFrame.unionByName, vectors) if vectors else None,
        )  # fmt: skip


class FeatureEstimator(Estimator, _GroupParams, Saved):
    """A feature group as an estimator; one that learns nothing is only computed.

    Frames have the columns of ``cqa.rank``. Rows with a label are training data: they get the values of a group fitted
    without their fold, so that a ranker that is fitted next learns from values as it will meet them.

    Args:
        group: name of the group, as ``cqa features list`` prints it.
        task: the task that the pairs are examples of.
        folds: folds of a group that learns from labels; a query is in one of them.

    Raises:
        ConfigError: an unknown group or task, or a group that reads more than texts, authors and times.

    >>> import cqa_spark as cqa
    >>> columns = "query_id string, query string, candidate_id string, candidate string"
    >>> pairs = spark.createDataFrame([("q1", "Where is a good villa?", "a", "See http://villas.example")], columns)
    >>> model = cqa.FeatureEstimator("answer_text_v1", "question_comment").fit(pairs)
    >>> model.transform(pairs).select(model.features[0]).columns == [model.features[0]]
    True
    """

    def __init__(self, group: str, task: str, *, folds: int = 5) -> None:
        super().__init__()
        task_named(task)
        require_libraries([group])
        if needs := group_class(group).needs:
            raise ConfigError(
                f"the feature group {group} reads {', '.join(needs)}, which a frame of pairs does not have",
                "compute it in a run: cqa run",
            )
        self._group = group
        self._set(task=task, folds=folds)

    def _fit(self, dataset: DataFrame) -> FeatureModel:
        inputs = self._inputs(dataset, self._group)
        with persisted(inputs.examples, inputs.documents, inputs.texts) as (examples, of_posts, texts):
            held = FeatureInputs(examples, inputs.posts, inputs.comments, of_posts, texts, embeddings=inputs.embeddings)
            fitted = fit_groups([group_class(self._group)], held, folds=self.getOrDefault(self.folds))
        return self._copyValues(FeatureModel(fitted[self._group]))

    def _names(self) -> dict[str, Any]:
        return {_GROUP: self._group}

    @classmethod
    def _restored(cls, metadata: Mapping[str, Any], path: str) -> Self:
        return cls(metadata[_GROUP], **metadata["paramMap"])


class FeatureModel(Model, _GroupParams, Saved):
    """A fitted feature group.

    Args:
        fitted: the group, fitted on all training data and without each fold.
    """

    def __init__(self, fitted: Fitted[FeatureGroup]) -> None:
        super().__init__()
        self.fitted = fitted

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns that ``transform`` adds."""
        return feature_names([self.fitted.on_all.name])

    def _transform(self, dataset: DataFrame) -> DataFrame:
        """The frame with a column of doubles for each feature; unknown values are those that the group declares."""
        group = self.fitted.on_all
        inputs = self._inputs(dataset, group.name)
        values = compute_pass({group.name: self.fitted}, inputs, self.getOrDefault(self.folds))
        assembled = assemble(inputs.examples, [group.name], {group.pass_key: values})
        texts = {name: f"_{name}" for name in KEY}
        added = assembled.select(*[F.col(name).alias(text) for name, text in texts.items()], *self.features)
        same = [F.col(name).cast("string") == F.col(text) for name, text in texts.items()]
        return dataset.join(added, on=same, how="left").drop(*texts.values())

    def _names(self) -> dict[str, Any]:
        return {_GROUP: self.fitted.on_all.name, _RESTS: len(self.fitted.on_rests)}

    def _save(self, path: str) -> None:
        groups = (self.fitted.on_all, *self.fitted.on_rests)
        for folder, group in zip(_folders(path, len(self.fitted.on_rests)), groups, strict=True):
            save_groups({group.name: group}, folder, _STORAGE)

    @classmethod
    def _restored(cls, metadata: Mapping[str, Any], path: str) -> Self:
        name = metadata[_GROUP]
        on_all, *on_rests = (load_groups([name], folder, _STORAGE)[name] for folder in _folders(path, metadata[_RESTS]))
        return cls(Fitted(on_all, tuple(on_rests)))


def _folders(path: str, rests: int) -> list[str]:
    """The folders of the group that was fitted on all data, and of those without a fold."""
    return [f"{path}/{_GROUP}", *[f"{path}/without_fold_{fold}" for fold in range(rests)]]
