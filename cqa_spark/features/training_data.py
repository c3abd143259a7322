"""The training data of feature groups, with and without labels; values that several groups learn are computed once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Reals
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.spark.frames import learn_in_one_task, persisted

# Assigns examples to cross-validation folds, by thread.

NO_FOLD = -1
"""The fold of examples outside the training data."""

SEED = 17
"""Default seed of the fold assignment."""


def fold_of(folds: int, seed: int = SEED) -> Column:
    """The fold of an example, from 0: a hash of its ``fold_key``, which a thread shares with its copies.

    Args:
        folds: number of folds.
        seed: changes which threads share a fold.
    """
    return F.pmod(F.xxhash64(F.lit(seed), "fold_key"), F.lit(folds))


# Samples whole queries, for training on fewer rows.

_log = logging.getLogger(__name__)
_SEED = 23
_POSITIONS = 1 << 32


def sample_queries(frame: DataFrame, most: int, rows: int) -> DataFrame:
    """Keep about ``most`` rows, by a hash of their query; independent of the partitioning.

    Args:
        frame: examples.
        most: number of rows to keep.
        rows: number of rows of the DataFrame.
    """
    if rows <= most:
        return frame
    _log.warning("learning from a sample of queries: about %s of %s examples", f"{most:,}", f"{rows:,}")
    position = F.pmod(F.xxhash64(F.lit(_SEED), "site", "query_id"), F.lit(_POSITIONS))
    return frame.where(position < round(most / rows * _POSITIONS))


Group = TypeVar("Group")
Learned = TypeVar("Learned")
Other = TypeVar("Other")


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

    @classmethod
    def excluding(cls, fit: Callable[[int], Group], folds: int) -> Self:
        """Fit without each fold; without ``NO_FOLD``, on all training data."""
        return cls(fit(NO_FOLD), tuple(map(fit, range(folds))))

    def map(self, function: Callable[[Group], Other]) -> Fitted[Other]:
        """The results of a function of what was fitted."""
        return Fitted(function(self.on_all), tuple(map(function, self.on_rests)))


def learn_by_fold(
    rows: DataFrame, order: Sequence[str], learn: Callable[[Iterable[pa.RecordBatch]], Fitted[Reals]]
) -> Fitted[Reals]:
    """Learn from all rows, in order, in one task, so that the result does not depend on the partitioning.

    Args:
        rows: the rows, with their folds.
        order: columns to sort by.
        learn: maps batches of the rows, or none, to arrays of one dimension.
    """

    def fit(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        fitted = learn(batches)
        arrays = [fitted.on_all, *fitted.on_rests]
        yield pa.RecordBatch.from_arrays([pa.array([array.tobytes() for array in arrays], pa.binary())], ["weights"])

    on_all, *on_rests = (np.frombuffer(row["weights"]) for row in learn_in_one_task(rows, order, fit, "weights binary"))
    return Fitted(on_all, tuple(on_rests))


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
    _learned: dict[tuple[Hashable, ...], Any] = field(default_factory=dict, repr=False)
    _learning: RLock = field(default_factory=RLock, repr=False)

    def derive(self, learn: Callable[..., Learned], *arguments: Hashable) -> Learned:
        """The value of a function of the training data, computed once for all groups.

        Args:
            learn: takes the training data and the arguments. The function object is the cache key, so pass a
                module-level function rather than a lambda.
            arguments: further arguments of the function.
        """
        key = (learn, *arguments)
        with self._learning:
            if key not in self._learned:
                self._learned[key] = learn(self, *arguments)
            return cast(Learned, self._learned[key])

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
