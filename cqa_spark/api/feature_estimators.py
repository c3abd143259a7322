"""Feature groups as estimators of ``pyspark.ml``: they add the columns of a group to pairs of texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, Self

from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.api.estimators import Saved
from cqa_spark.api.pairs import KEY, SITE, community_in_spark, require_columns
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.tables.conversion import PROBLEM, converted
from cqa_spark.errors import ConfigError
from cqa_spark.examples.task import task as task_named
from cqa_spark.features.assembly import assemble, feature_names
from cqa_spark.features.featurize import compute_place, fit_groups
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import embedding_models, group_class, require_libraries
from cqa_spark.features.training_data import Fitted
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS
from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.spark.persistence import persisted
from cqa_spark.systems.trained_system import load_groups, save_groups
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.embedding.model import EmbeddingModel
from cqa_spark.text.embeddings import embed, ship

_STORAGE = ObjectStorageSettings()
_PARENT = Params._dummy()  # as for the parameters of Spark's own estimators
_GROUP, _RESTS = "group", "rests"


class _GroupParams(Params):
    """What the pairs of a frame are, and how a group that learns from labels is fitted."""

    task: Param[str] = Param(_PARENT, "task", "task that the pairs are examples of")
    folds: Param[int] = Param(_PARENT, "folds", "folds of a group that learns from labels, by query")

    def _inputs(self, pairs: DataFrame, group: str) -> FeatureInputs:
        """The pairs as the input of a group; those with a label are training data.

        Raises:
            InputError: a column is missing.
        """
        require_columns(pairs.columns)
        task, spark = task_named(self.getOrDefault(self.task)), pairs.sparkSession
        given = community_in_spark(pairs, task)
        posts, comments, judgments = (
            table.conform(
                converted(given[table.name].withColumn("split", F.lit("train")), table, SITE, SITE)
                .where(F.col(PROBLEM).isNull())
                .select(*table.schema.names)
            )
            if table.name in given
            else table.empty(spark)
            for table in (POSTS, COMMENTS, JUDGMENTS)
        )
        examples = task.build(posts, comments, judgments)
        split = F.when(F.col("relevant").isNull(), "test").otherwise("train")
        texts = TEXTS.empty(spark)
        models = [EmbeddingModel.read(name) for name in embedding_models([group])]
        if group_class(group).reads_texts:
            from cqa_spark.text.pipeline import analyse  # slow import of Spark NLP

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
        values = compute_place({group.name: self.fitted}, inputs, self.getOrDefault(self.folds))
        assembled = assemble(inputs.examples, [group.name], {group.place: values})
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
