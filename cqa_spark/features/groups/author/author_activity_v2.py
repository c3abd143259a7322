"""How active a comment's author is elsewhere, known by name where ids differ."""

from __future__ import annotations

from typing import ClassVar, Self

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.groups.author.aliases import find_known, with_aliases, with_person
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_table import LearnedTableGroup
from cqa_spark.features.learned_texts import LEARNED_FROM

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_AUTHOR = ("user_id", "user_name")
_IS_QUESTION = "post_type = 'question'"
_COUNTS = ("comments", "threads", "firsts", "answers", "questions")

_FEATURES = {
    FeatureColumn("log_comments", "ln(1 + comments elsewhere)", _SUPER_TEAM, -1.0): "ln(1 + comments)",
    FeatureColumn("log_threads", "ln(1 + other threads commented in)", _SUPER_TEAM, -1.0): "ln(1 + threads)",
    FeatureColumn("log_answers", "ln(1 + comments elsewhere on other people's questions)", _NICOSIA, -1.0): (
        "ln(1 + answers)"
    ),
    FeatureColumn("log_questions", "ln(1 + other questions asked)", _NICOSIA, -1.0): "ln(1 + questions)",
    FeatureColumn("answering", "ln((1 + answers) / (1 + questions)), elsewhere", _NICOSIA): (
        "ln((1 + answers) / (1 + questions))"
    ),
    FeatureColumn("comments_per_thread", "mean comments in another thread; 0 for none", _SUPER_TEAM, -1.0): (
        "comments / greatest(1, threads)"
    ),
    FeatureColumn("first_share", "share of the other threads where the author comments first", "ours", -1.0): (
        "firsts / greatest(1, threads)"
    ),
    FeatureColumn("log_sections", "ln(1 + forum sections of the other threads)", _SUPER_TEAM, -1.0): (
        "ln(1 + size(filter(map_entries(sections), one -> one.value > if(one.key = section, threads_here, 0))))"
    ),
    FeatureColumn("section_share", "share of the other threads that are in this section", "ours", -1.0): (
        "greatest(0, coalesce(sections[section], 0) - threads_here) / greatest(1, threads)"
    ),
}
"""Each column with the Spark SQL expression over a row of ``_elsewhere`` that computes it."""


class AuthorActivityV2(LearnedTableGroup):
    """Counts over the training and the unannotated threads other than the comment's own; repeats count once."""

    name: ClassVar[str] = "author_activity_v2"
    family: ClassVar[str] = "author"
    about: ClassVar[str] = "how much the comment's author writes and asks in other threads"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = False

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count what everybody wrote in threads that are there to learn from."""
        in_section = F.when((F.col("threads") > 0) & F.col("section").isNotNull(), F.struct("section", "threads"))
        by_section = _summed(_by_thread(inputs), "site", "person", "section")
        totals = _summed(by_section, "site", "person")
        sections = by_section.groupBy("site", "person").agg(
            F.map_from_entries(F.sort_array(F.collect_list(in_section))).alias("sections")
        )
        # Small, and read twice.
        return type(self)(with_aliases(totals.join(sections, on=["site", "person"]), inputs).persist())

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each comment whose author is one person."""
        values = feature_values(_FEATURES)
        found = find_known(_commented(inputs), self.learned)
        return _elsewhere(found, _by_thread(inputs)).select(*self.entity.key, *values)


def _commented(inputs: FeatureInputs) -> DataFrame:
    """The candidates that are comments: author, thread and section."""
    comments = inputs.comments.select("site", F.col("comment_id").alias("candidate_id"), "thread_id", *_AUTHOR)
    candidates = AuthorActivityV2.entities(inputs.examples).join(comments, on=["site", "candidate_id"], how="inner")
    threads = inputs.posts.where(_IS_QUESTION).selectExpr(
        "site", "post_id AS thread_id", "coalesce(same_as, post_id) AS first_copy", "category AS section"
    )
    return candidates.join(threads, on=["site", "thread_id"], how="left")


def _by_thread(inputs: FeatureInputs) -> DataFrame:
    """What each person did in each thread of the learned part: ``site``, ``first_copy``, ``section``, the counts."""
    learned = F.col("split").isin(*LEARNED_FROM)
    questions = (
        inputs.posts.where(learned).where(_IS_QUESTION).withColumn("first_copy", F.coalesce("same_as", "post_id"))
    )
    threads = questions.groupBy("site", "first_copy").agg(
        F.min("post_id").alias("thread_id"),
        F.max("category").alias("section"),
        F.min_by("user_id", "post_id").alias("asker"),
    )
    asked = questions.select("site", F.col("post_id").alias("thread_id"), *_AUTHOR, *_numbers(questions="1"))
    said = inputs.comments.where(learned).select(
        "site", "thread_id", *_AUTHOR, *_numbers(comments="1", firsts="int(position = 1)")
    )
    acts = asked.unionByName(said).join(threads, on=["site", "thread_id"], how="inner")
    answers = F.expr("if(user_id <=> asker, 0, comments)")
    by_thread = _summed(
        with_person(acts.withColumn("answers", answers), inputs), "site", "person", "first_copy", "section"
    )
    return by_thread.withColumn("threads", F.expr("int(comments > 0)"))


def _numbers(**given: str) -> list[Column]:
    return [F.expr(given.get(name, "0")).alias(name) for name in _COUNTS]


def _summed(rows: DataFrame, *by: str) -> DataFrame:
    return rows.groupBy(*by).agg(*[F.sum(name).alias(name) for name in _COUNTS])


def _elsewhere(found: DataFrame, by_thread: DataFrame) -> DataFrame:
    """The counts of each author without those of the comment's own thread, and of the thread whose repeat it is."""
    here = by_thread.select("site", "first_copy", "person", *[F.col(name).alias(f"{name}_here") for name in _COUNTS])
    joined = found.join(here, on=["site", "first_copy", "person"], how="left")
    learned = {name: F.coalesce(name, F.lit(0)) for name in _COUNTS}
    learned_here = {f"{name}_here": F.coalesce(f"{name}_here", F.lit(0)) for name in _COUNTS}
    elsewhere = {name: F.expr(f"{name} - {name}_here") for name in _COUNTS}
    sections = {"sections": F.expr("coalesce(sections, map())")}
    return joined.withColumns(learned | learned_here).withColumns(elsewhere | sections)
