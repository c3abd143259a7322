"""The training data of feature groups, with and without labels; values that several groups learn are computed once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Reals
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.spark.frames import learn_in_one_task, persisted

if TYPE_CHECKING:
    import pandas as pd

NO_FOLD = -1
"""The fold of examples outside the training data."""

SEED = 17
"""Default seed of the fold assignment."""

LEARNED_FROM = ("train", "unannotated")
"""Splits whose texts are used for unsupervised training."""

_SAMPLE_SEED = 23
_POSITIONS = 1 << 32

_log = logging.getLogger(__name__)

Group = TypeVar("Group")
Learned = TypeVar("Learned")
Other = TypeVar("Other")


def fold_of(folds: int, seed: int = SEED) -> Column:
    """The fold of an example, from 0: a hash of its ``fold_key``, which a thread shares with its copies.

    Args:
        folds: number of folds.
        seed: changes which threads share a fold.
    """
    return F.pmod(F.xxhash64(F.lit(seed), "fold_key"), F.lit(folds))


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
    position = F.pmod(F.xxhash64(F.lit(_SAMPLE_SEED), "site", "query_id"), F.lit(_POSITIONS))
    return frame.where(position < round(most / rows * _POSITIONS))


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
    documents = _learned_documents(inputs).join(posts.unionByName(comments), on=["site", "document_id"])
    texts = documents.join(inputs.texts.select("text_id", unit), on="text_id")
    in_order = F.array_sort(F.collect_list(F.struct("document_id", unit)))
    return (
        texts.groupBy("site", "thread_id")
        .agg(F.flatten(in_order[unit]).alias(unit))
        .select(F.sha2(F.concat_ws("/", "site", "thread_id"), 256).alias("text_id"), unit)
    )


def _learned_documents(inputs: FeatureInputs) -> DataFrame:
    return inputs.documents.where(F.col("split").isin(*LEARNED_FROM))


# What several groups learn from labels: counts of terms, and least squares, both on the complement of each fold.

CANDIDATES = "candidates"
"""The unit that counts all candidates, under the empty term."""

RAREST = 3
"""Minimum number of candidates with a term."""

MOST_TERMS = 500_000
"""Only the most frequent terms are counted, which bounds the driver's memory: the counts of a term are one row for each
fold and section, and its polarity is in a model for each fold."""

_UNITS = ("tokens", "words", "bigrams", "stems")
_OF_SECTIONS = (CANDIDATES, "words")


def judged_terms(training: TrainingData) -> pd.DataFrame:
    """Count the judged training candidates that contain each term, in one Spark job.

    Returns:
        ``unit`` (``CANDIDATES``, tokens, words, bigrams or stems), ``term``, ``section`` (of the forum, for candidates
        and words; None where unknown, and for the other units), ``fold``, ``good`` and ``bad`` (candidates that are
        relevant and that are not).
        Only terms in at least ``RAREST`` candidates are counted, and only the ``MOST_TERMS`` most frequent of them.
    """
    judged = training.judged.select("site", "candidate_id", "section", "fold", "relevant", "text_id").distinct()
    texts = judged.join(training.inputs.texts.select("text_id", *_UNITS), on="text_id")
    # Each distinct term of a candidate, with its unit; the empty term counts the candidates themselves.
    distinct_terms = [F.transform(F.array_distinct(unit), partial(_named, unit)) for unit in _UNITS]
    named = F.explode(F.concat(F.array(_named(CANDIDATES, F.lit(""))), *distinct_terms))
    terms = texts.select("section", "fold", "relevant", named.alias("named"))
    section = F.when(F.col("named.unit").isin(*_OF_SECTIONS), F.col("section")).alias("section")
    good, bad = F.count_if("relevant").alias("good"), F.count_if(~F.col("relevant")).alias("bad")
    counts = terms.groupBy("named.unit", "named.term", section, "fold").agg(good, bad)
    # The counts of a term as one row, so that the most frequent terms are kept with all their folds and sections.
    parts = F.collect_list(F.struct("section", "fold", "good", "bad")).alias("parts")
    by_term = counts.groupBy("unit", "term").agg(F.sum(F.col("good") + F.col("bad")).alias("candidates"), parts)
    is_frequent = (F.col("candidates") >= RAREST) | (F.col("unit") == CANDIDATES)
    frequent = by_term.where(is_frequent).orderBy(F.desc("candidates"), "unit", "term").limit(MOST_TERMS)
    return frequent.selectExpr("unit", "term", "inline(parts)").toPandas()


def fit_on_counts(training: TrainingData, learn: Callable[[pd.DataFrame], Group]) -> Fitted[Group]:
    """Fit on the counts of all folds, and on the complement of each fold.

    Args:
        training: the training part.
        learn: fits on rows of ``judged_terms``.
    """
    counts = training.derive(judged_terms)
    return Fitted.excluding(lambda fold: learn(counts[counts["fold"] != fold]), training.folds)


def _named(unit: str, term: Column) -> Column:
    return F.struct(F.lit(unit).alias("unit"), term.alias("term"))


@dataclass(frozen=True)
class NormalEquations:
    """The normal equations of a least-squares problem; additive over rows.

    Attributes:
        squares: sums of products of two terms, shape (terms, terms).
        products: sums of products of a term and the value, shape (terms,).
        rows: number of rows.
    """

    squares: Reals | float = 0.0
    products: Reals | float = 0.0
    rows: int = 0

    @classmethod
    def of(cls, terms: Reals, values: Reals) -> Self:
        """The equations of rows.

        Args:
            terms: shape (rows, terms).
            values: shape (rows,).
        """
        return cls(terms.T @ terms, terms.T @ values, len(values))

    def __add__(self, other: Self) -> NormalEquations:
        return NormalEquations(self.squares + other.squares, self.products + other.products, self.rows + other.rows)


def solve_by_fold(of_folds: Sequence[NormalEquations], solve: Callable[[NormalEquations], Reals]) -> Fitted[Reals]:
    """Solve the sum of the equations of all folds, and the sum without each fold."""

    def without(excluded: int) -> Reals:
        return solve(sum((fold for number, fold in enumerate(of_folds) if number != excluded), NormalEquations()))

    return Fitted.excluding(without, len(of_folds))
