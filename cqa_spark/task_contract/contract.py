"""The contract of a task: its examples, grades and baseline, how its results are written, and what a night ranks."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import ClassVar

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.plugins import PluginKind
from cqa_spark.runtime.flow import Step
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.systems.system import System

# What a task has to know of a night to plan its examples.


@dataclass(frozen=True)
class Night:
    """A night before it starts.

    Attributes:
        settings: of the job.
        tasks: names of the tasks of the systems that rank, and of their upstream systems.
        groups: names of the feature groups of these systems.
        reads_words: whether a ranker reads words in addition to features.
        kept: names of the systems whose published models rank again.
        new: names of the systems that are trained in this night.
        learns: whether any of these learns from labels.
        learns_choices: whether a system that ranks learns from undecided nights as well, tonight or when it is due.
        last: the published run, whose rows of unchanged sites are used; None to compute all rows.
        last_texts: the published run if the systems read the same texts as those of last night.
    """

    settings: NightlySettings
    tasks: Sequence[str]
    groups: Sequence[str]
    reads_words: bool
    kept: Sequence[str]
    new: Sequence[str]
    learns: bool
    learns_choices: bool
    last: Snapshot | None
    last_texts: Snapshot | None


class Task(ABC):
    """Converts the judgments of a task to examples.

    Attributes:
        name: name in tables and settings.
        letter: short name: the subtask in SemEval-2016 Task 3, or another letter, such as P for preferred answers.
        about: description, one sentence.
        grades: graded relevance of each label; 0 is none.
        relevant_from: the lowest grade that counts as relevant.
        via: the tasks of the intermediate steps from query to candidate, each with the columns of this task's examples
            that are its query and candidate; empty without intermediate steps.
        shortcuts: tasks whose systems can score the candidate for the query directly, without intermediate steps.
        grades_pairs: whether pairs are graded one by one, instead of candidates ranked for a query: the features of a
            pair depend on no other pair, apart from what groups learn from labels, and files of predictions hold
            scores alone, in the order of the input.
        candidate_id: column that identifies candidates: ``comment_id`` of comments, or ``post_id`` of posts.
        address: SQL expression of a candidate's address on its site, over site and candidate_id; empty if unknown.
        query_prefix: what the ids of queries begin with in the tables, but not in official files.
        formats: names of the source formats with examples of the task; nights read the first, unless another is named.
        baseline: name of the system with the simple order that others are compared with.
        measures: display names of the measures, the most important first.
        replays_nights: whether its systems learn from replayed nights and are measured on them, instead of on splits.
        simple_orders: names of systems that a night ranks with as well, by default of the baseline; the best of them is
            served where the chosen one is worse. Differences are from the first, and the last needs no votes.
        candidates_stay: whether candidates are retrieved once, so that nights rank new queries only.
    """

    name: ClassVar[str]
    letter: ClassVar[str]
    about: ClassVar[str]
    grades: ClassVar[Mapping[str, int]]
    relevant_from: ClassVar[int]
    via: ClassVar[Mapping[str, tuple[str, str]]] = MappingProxyType({})
    shortcuts: ClassVar[Collection[str]] = ()
    grades_pairs: ClassVar[bool] = False
    candidate_id: ClassVar[str] = "post_id"
    address: ClassVar[str] = ""
    query_prefix: ClassVar[str] = ""
    formats: ClassVar[tuple[str, ...]]
    baseline: ClassVar[str]
    measures: ClassVar[tuple[str, ...]]
    replays_nights: ClassVar[bool] = False
    simple_orders: ClassVar[tuple[str, ...]] = ()
    candidates_stay: ClassVar[bool] = False

    def build(self, posts: DataFrame, comments: DataFrame, judgments: DataFrame) -> DataFrame:
        """One row per judged pair; the unannotated split provides text only and has no examples.

        Args:
            posts: of the schema ``POSTS``.
            comments: of the schema ``COMMENTS``.
            judgments: of the schema ``JUDGMENTS``; those of other tasks are ignored.

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
                label (as in the source; null if not judged), split, and the columns that ``fold_key`` reads.

        Returns:
            A frame of the schema ``EXAMPLES``.
        """
        graded = pairs.withColumn("grade", self.grade()).select(
            "site", F.lit(self.name).alias("task"), "query_id", "candidate_id", "thread_id",
            self.fold_key().alias("fold_key"), "author_id", "asker_id", "asked_at", "answered_at",
            "initial_rank", F.col("grade").alias("label"), (F.col("grade") >= self.relevant_from).alias("relevant"),
            self.similarity().alias("similarity"), "split",
        )  # fmt: skip
        return EXAMPLES.complete(graded)

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """Author and time of each candidate, by default of each post: site, candidate_id, user_id, created_at."""
        return posts.select("site", F.col("post_id").alias("candidate_id"), "user_id", "created_at")

    @abstractmethod
    def fold_key(self) -> Column:
        """The thread that represents a query and its copies, from the columns of judgments and ``same_as``."""

    def grade(self) -> Column:
        """The graded relevance, from the label."""
        grades = chain.from_iterable((F.lit(label), F.lit(value)) for label, value in self.grades.items())
        return F.create_map(*grades)[F.col("label")]

    def similarity(self) -> Column:
        """The graded similarity of a pair as a fraction, from the label; null for tasks with classes."""
        return F.lit(None).cast("double")

    def keeps(self) -> Column:
        """Condition for judgments to become examples, on the columns of judgments and ``same_as``; true by default."""
        return F.lit(True)

    def night(self, night: Night) -> tuple[Step, ...]:
        """The steps of a night from community tables to examples and analysed texts.

        Raises:
            ConfigError: nights do not rank for the task.
        """
        raise ConfigError(f"nights do not rank for the task {self.name}", "name a system of another task: --system")

    def measure_nights(
        self, systems: Sequence[System], last: Snapshot | None, unchanged: Snapshot | None
    ) -> tuple[Step, ...]:
        """The steps of a night that measure trained systems before they rank; none if labels of queries measure them.

        Args:
            systems: recipes: the chosen system first, then the simple orders.
            last: the published run; None before the first publication.
            unchanged: the published run, whose rankings of unchanged sites are kept; None to compute all.
        """
        return ()


TASKS: PluginKind[type[Task]] = PluginKind("tasks", "task")


def task(name: str) -> Task:
    """The task of a name.

    Raises:
        ConfigError: unknown task; the known ones are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    return TASKS.load(name)()


def numbers_in(identifier: str) -> Column:
    """The numbers in an id, so that Q9_R10 comes before Q10_R2; null for one of more than 64 bits."""
    return F.expr(f"transform(regexp_extract_all({identifier}, '[0-9]+', 0), digits -> try_cast(digits AS bigint))")


def _rank() -> Column:
    """The initial rank; candidates without one follow the others, in the order of the numbers in their ids."""
    query = Window.partitionBy("site", "query_id")
    last_known = F.max("initial_rank").over(query.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing))
    unknown_last = query.orderBy(F.col("initial_rank").isNotNull(), numbers_in("candidate_id"), "candidate_id")
    place_among_unknown = F.row_number().over(unknown_last)
    return F.coalesce("initial_rank", F.coalesce(last_known, F.lit(0)) + place_among_unknown)
