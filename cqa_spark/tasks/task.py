"""What a task is: which judgments become examples, and what their labels are worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from itertools import chain
from types import MappingProxyType
from typing import ClassVar

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES


class Task(ABC):
    """Turns the judgments that serve it into examples.

    Attributes:
        name: how the task is called in tables and settings.
        letter: one letter for short: its subtask's in SemEval-2016 Task 3, P for preferred answers, S for
            similarity.
        about: description, one sentence.
        grades: graded relevance of each label; 0 is none.
        relevant_from: the lowest grade that counts as a hit.
        via: the tasks of the steps from query to candidate, each with the columns of this task's examples that are
            its query and its candidate; empty where there is no step between them.
        shortcuts: the tasks whose systems can judge a candidate for the query itself, without a step between them.
    """

    name: ClassVar[str]
    letter: ClassVar[str]
    about: ClassVar[str]
    grades: ClassVar[Mapping[str, int]]
    relevant_from: ClassVar[int]
    via: ClassVar[Mapping[str, tuple[str, str]]] = MappingProxyType({})
    shortcuts: ClassVar[Collection[str]] = ()

    def build(self, posts: DataFrame, comments: DataFrame, judgments: DataFrame) -> DataFrame:
        """One row per judged pair; the unannotated split only serves as text and makes none.

        Args:
            posts: of the schema ``POSTS``.
            comments: of the schema ``COMMENTS``.
            judgments: of the schema ``JUDGMENTS``; those of other tasks are left alone.

        Returns:
            A frame of the schema ``EXAMPLES``.
        """
        judged = judgments.where((F.col("task") == self.name) & (F.col("split") != UNANNOTATED))
        repeats = posts.where(F.col("post_id") == F.col("thread_id")).select("site", "thread_id", "same_as")
        asked = posts.select(
            "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
            F.col("created_at").alias("asked_at"),
        )  # fmt: skip
        answered = self.written(posts, comments).select(
            "site", "candidate_id", F.col("user_id").alias("author_id"), F.col("created_at").alias("answered_at")
        )
        known = judged.join(repeats, on=["site", "thread_id"], how="left").where(self.keeps())
        dated = known.join(asked, on=["site", "query_id"], how="left")
        pairs = dated.join(answered, on=["site", "candidate_id"], how="left")
        return self.examples(pairs.withColumn("initial_rank", _rank()))

    def examples(self, pairs: DataFrame) -> DataFrame:
        """Grade the labels of pairs.

        Args:
            pairs: site, query_id, candidate_id, thread_id, author_id, asker_id, asked_at, answered_at, initial_rank,
                label (as the site has it; null where it is not judged), split, and what ``fold_key`` reads.

        Returns:
            A frame of the schema ``EXAMPLES``.
        """
        graded = pairs.withColumn("grade", self.grade()).select(
            "site", F.lit(self.name).alias("task"), "query_id", "candidate_id", "thread_id",
            self.fold_key().alias("fold_key"), "author_id", "asker_id", "asked_at", "answered_at",
            "initial_rank", F.col("grade").alias("label"), (F.col("grade") >= self.relevant_from).alias("relevant"),
            self.similarity().alias("similarity"), "split",
        )  # fmt: skip
        return EXAMPLES.conform(graded)

    @abstractmethod
    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """Who wrote each candidate, and when: site, candidate_id, user_id, created_at."""

    @abstractmethod
    def fold_key(self) -> Column:
        """The thread that represents a query and its repeats, from the columns of judgments and ``same_as``."""

    def grade(self) -> Column:
        """The graded relevance, from the label."""
        grades = chain.from_iterable((F.lit(label), F.lit(value)) for label, value in self.grades.items())
        return F.create_map(*grades)[F.col("label")]

    def similarity(self) -> Column:
        """The graded similarity of a pair as a fraction, from the label; null for tasks that have classes."""
        return F.lit(None).cast("double")

    def keeps(self) -> Column:
        """Which judgments become examples, by the columns of judgments and ``same_as``; all of them by default."""
        return F.lit(True)


def _rank() -> Column:
    """The rank given; candidates of unknown rank follow the known ones, in the order of the numbers in their ids."""
    query = Window.partitionBy("site", "query_id")
    last_known = F.max("initial_rank").over(query.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing))
    numbers = F.transform(F.regexp_extract_all("candidate_id", F.lit("[0-9]+"), 0), lambda text: text.cast("bigint"))
    unknown_last = query.orderBy(F.col("initial_rank").isNotNull(), numbers, "candidate_id")
    place_among_unknown = F.row_number().over(unknown_last)
    return F.coalesce("initial_rank", F.coalesce(last_known, F.lit(0)) + place_among_unknown)
