"""The training data of feature groups, with and without labels; values that several groups learn are computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any, Generic, TypeVar, cast

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.folds import fold_of
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.spark.persistence import persisted

Group = TypeVar("Group")
Learned = TypeVar("Learned")


@dataclass(frozen=True)
class Fitted(Generic[Group]):
    """A fitted group.

    Attributes:
        on_all: fitted on all training data.
        on_rests: fitted on the complement of each fold, in the order of the folds; empty for groups that do not learn
            from labels or that keep their counts by fold.
    """

    on_all: Group
    on_rests: tuple[Group, ...] = ()


@dataclass(frozen=True)
class TrainingData:
    """The training part of a run.

    Attributes:
        inputs: the tables; the examples are those of the training part, with labels.
        folds: number of folds, at least 2.
    """

    inputs: FeatureInputs
    folds: int
    _held: ExitStack = field(default_factory=ExitStack, repr=False)
    _learned: dict[Callable[[TrainingData], Any], Any] = field(default_factory=dict, repr=False)
    _learning: RLock = field(default_factory=RLock, repr=False)

    def derive(self, learn: Callable[[TrainingData], Learned]) -> Learned:
        """The value of a function of the training data, computed once for all groups.

        Args:
            learn: the function. The function object is the cache key, so pass a module-level function rather than a
                lambda.
        """
        with self._learning:
            if learn not in self._learned:
                self._learned[learn] = learn(self)
            return cast(Learned, self._learned[learn])

    @cached_property
    def judged(self) -> DataFrame:
        """The training examples with a known label, persisted.

        ``site``, ``query_id``, ``candidate_id``, ``thread_id``, ``section`` (of the thread; null where unknown),
        ``fold`` (from 0), ``relevant``, ``text_id`` (of the candidate; candidates without a text are left out).
        """
        sections = self.inputs.posts.select(
            "site", F.col("post_id").alias("thread_id"), F.col("category").alias("section")
        )
        texts = self.inputs.documents.select("site", F.col("document_id").alias("candidate_id"), "text_id")
        known = self.inputs.examples.where(F.col("relevant").isNotNull()).select(
            "site", "query_id", "candidate_id", "thread_id", fold_of(self.folds).cast("int").alias("fold"), "relevant"
        )
        with_section = known.join(sections, on=["site", "thread_id"], how="left")
        rows = with_section.join(texts, on=["site", "candidate_id"]).distinct()
        (judged,) = self._held.enter_context(persisted(rows))
        return judged

    def judged_sample(self, most: int) -> DataFrame:
        """``judged``, or about ``most`` of more, by whole queries, for groups that learn in one task."""
        return sample_queries(self.judged, most, rows=self._judged_rows)

    @cached_property
    def _judged_rows(self) -> int:
        return self.judged.count()


@contextmanager
def training_data(inputs: FeatureInputs, folds: int) -> Iterator[TrainingData]:
    """The training part of the inputs; persisted DataFrames are released at the end of the block."""
    with ExitStack() as held:
        yield TrainingData(inputs.keep_examples(F.col("split") == "train"), folds, held)


LEARNED_FROM = ("train", "unannotated")
"""Splits whose texts are used for unsupervised training."""


def learned_texts(inputs: FeatureInputs) -> DataFrame:
    """The distinct texts of the training and unannotated documents: rows of ``texts``."""
    return inputs.texts.join(_learned_documents(inputs), on="text_id", how="left_semi")


def learned_threads(inputs: FeatureInputs, unit: str) -> DataFrame:
    """Every thread of the training and unannotated documents as one long text.

    Args:
        inputs: the tables.
        unit: an array column of the table ``texts``.

    Returns:
        ``text_id`` (a hash of site and thread) and ``unit``, of all the thread's texts, in the order of their ids.
    """
    posts = inputs.posts.select("site", F.col("post_id").alias("document_id"), "thread_id")
    comments = inputs.comments.select(
        "site", comment_document().alias("document_id"), F.coalesce("thread_id", "post_id").alias("thread_id")
    )
    written = _learned_documents(inputs).join(posts.unionByName(comments), on=["site", "document_id"])
    said = written.join(inputs.texts.select("text_id", unit), on="text_id")
    in_order = F.array_sort(F.collect_list(F.struct("document_id", unit)))
    return (
        said.groupBy("site", "thread_id")
        .agg(F.flatten(in_order[unit]).alias(unit))
        .select(F.sha2(F.concat_ws("/", "site", "thread_id"), 256).alias("text_id"), unit)
    )


def _learned_documents(inputs: FeatureInputs) -> DataFrame:
    return inputs.documents.where(F.col("split").isin(*LEARNED_FROM))
