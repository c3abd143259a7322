"""How active a comment's author is in other threads; authors are identified by name if ids differ between files."""

from collections.abc import Mapping
from typing import Self

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Reals, counts, fields, items
from cqa_spark.features.author_facts import AuthorFacts, known_names, names_by_account, with_aliases, with_person
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_group import LearnedFactsGroup, in_section
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import LEARNED_FROM, Fitted, TrainingData
from cqa_spark.spark.frames import persist

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_AUTHOR = ("user_id", "user_name")
_IS_QUESTION = "post_type = 'question'"
_COUNTS = ("comments", "threads", "firsts", "answers", "questions")


class AuthorActivityV2(LearnedFactsGroup):
    """Counts over the training and the unannotated threads other than the comment's own; repeats count once."""

    name = "author_activity_v2"
    family = "author"
    about = "how much the comment's author writes and asks in other threads"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("log_comments", "ln(1 + comments elsewhere)", _SUPER_TEAM, -1.0),
        FeatureColumn("log_threads", "ln(1 + other threads commented in)", _SUPER_TEAM, -1.0),
        FeatureColumn("log_answers", "ln(1 + comments elsewhere on other people's questions)", _NICOSIA, -1.0),
        FeatureColumn("log_questions", "ln(1 + other questions asked)", _NICOSIA, -1.0),
        FeatureColumn("answering", "ln((1 + answers) / (1 + questions)), elsewhere", _NICOSIA),
        FeatureColumn("comments_per_thread", "mean comments in another thread; 0 for none", _SUPER_TEAM, -1.0),
        FeatureColumn("first_share", "share of the other threads where the author comments first", "ours", -1.0),
        FeatureColumn("log_sections", "ln(1 + forum sections of the other threads)", _SUPER_TEAM, -1.0),
        FeatureColumn("section_share", "share of the other threads that are in this section", "ours", -1.0),
    )
    learns_from_labels = False

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the posts and comments of every author in the training and unannotated threads."""
        names = training.derive(known_names)
        in_section = F.when((F.col("threads") > 0) & F.col("section").isNotNull(), F.struct("section", "threads"))
        by_section = _summed(_by_thread(training.inputs, names), "site", "person", "section")
        totals = by_section.groupBy("site", "person").agg(
            *[F.sum(name).alias(name) for name in _COUNTS], F.sort_array(F.collect_list(in_section)).alias("sections")
        )
        return Fitted(cls(persist(with_aliases(totals, names))))

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """The counts, in total and per thread."""
        by_thread = _by_thread(inputs, names_by_account(inputs))
        return AuthorFacts(self.learned, by_thread.select("site", "first_copy", "person", *_COUNTS))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each comment whose author is one person."""
        author = _elsewhere(batch, fields(batch.facts(self.name)))
        values = {
            "log_comments": np.log(1 + author["comments"]),
            "log_threads": np.log(1 + author["threads"]),
            "log_answers": np.log(1 + author["answers"]),
            "log_questions": np.log(1 + author["questions"]),
            "answering": np.log((1 + author["answers"]) / (1 + author["questions"])),
            "comments_per_thread": author["comments"] / np.maximum(1, author["threads"]),
            "first_share": author["firsts"] / np.maximum(1, author["threads"]),
            "log_sections": np.log(1 + author["sections"]),
            "section_share": author["in_section"] / np.maximum(1, author["threads"]),
        }
        return {name: np.where(batch.by_person, column, np.nan) for name, column in values.items()}


def _elsewhere(batch: QueryBatch, known: Mapping[str, pa.ChunkedArray]) -> dict[str, Reals]:
    """Counts in other threads; also ``sections`` of these threads, and those ``in_section``, the candidate's own."""
    here = {name: counts(column) for name, column in fields(known["here"]).items()}
    example, sections = items(known["sections"])
    nearby = in_section(batch, example, sections["section"])
    threads = counts(sections["threads"]) - np.where(nearby, here["threads"][example], 0)
    return {
        **{name: counts(known[name]) - here[name] for name in _COUNTS},
        "sections": np.bincount(example, threads > 0, minlength=len(batch)).astype(np.float64),
        "in_section": np.maximum(0, np.bincount(example, np.where(nearby, threads, 0), minlength=len(batch))),
    }


def _by_thread(inputs: FeatureInputs, names: DataFrame) -> DataFrame:
    """Activity of each person in each training thread: ``site``, ``first_copy``, ``section``, and the counts."""
    learned = F.col("split").isin(*LEARNED_FROM)
    questions = (
        inputs.posts.where(learned).where(_IS_QUESTION).withColumn("first_copy", F.coalesce("same_as", "post_id"))
    )
    threads = questions.groupBy("site", "first_copy").agg(
        F.min("post_id").alias("thread_id"),
        F.max("category").alias("section"),
        F.min_by("user_id", "post_id").alias("asker"),
    )
    asking = questions.select("site", F.col("post_id").alias("thread_id"), *_AUTHOR, *_numbers(questions="1"))
    commenting = inputs.comments.where(learned).select(
        "site", "thread_id", *_AUTHOR, *_numbers(comments="1", firsts="int(position = 1)")
    )
    acts = asking.unionByName(commenting).join(threads, on=["site", "thread_id"], how="inner")
    answers = F.expr("if(user_id <=> asker, 0, comments)")
    by_thread = _summed(
        with_person(acts.withColumn("answers", answers), names), "site", "person", "first_copy", "section"
    )
    return by_thread.withColumn("threads", F.expr("int(comments > 0)"))


def _numbers(**counts: str) -> list[Column]:
    return [F.expr(counts.get(name, "0")).alias(name) for name in _COUNTS]


def _summed(rows: DataFrame, *by: str) -> DataFrame:
    return rows.groupBy(*by).agg(*[F.sum(name).alias(name) for name in _COUNTS])
