"""Comments on questions and their answers as dated events: who spoke, after whom, and in which tone."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.features.groups.thread.comment_tone import MEASURES, with_sentiment
from cqa_spark.features.inputs import FeatureInputs

COUNTS = ("comments", "by_asker", "by_answerer", "sequential")
EVENT_VALUES = (*COUNTS, *MEASURES)

EVERYBODY = ""
"""Stands for the user where an event is about a post as a whole."""


def comment_events(inputs: FeatureInputs, pairs: DataFrame) -> DataFrame:
    """The comments on the posts of pairs.

    An answer has one answerer, so all that is counted of its comments belongs to the post. A question has as many as
    answers; what concerns one of them is keyed by that user as well.

    Args:
        inputs: the table of comments is read.
        pairs: as ``known_pairs`` gives them.

    Returns:
        site, post_id, user_id (``EVERYBODY``, or one user of whom ``by_answerer`` and ``sequential`` speak), known_at,
        and the ``EVENT_VALUES``. ``sequential`` counts comments of asker or answerer that directly follow one of the
        other below the same post. The tone is only measured below answers.
    """
    question = F.struct(
        F.col("query_id").alias("post_id"), "asker_id", F.lit(None).cast("string").alias("answerer_id"),
        F.lit(True).alias("on_question"),
    )  # fmt: skip
    answer = F.struct(
        F.col("candidate_id").alias("post_id"), "asker_id", F.col("author_id").alias("answerer_id"),
        F.lit(False).alias("on_question"),
    )  # fmt: skip
    # A question stands in the pairs of all its answers. What is together by post stays so for the join and the window.
    posts = pairs.select("site", F.inline(F.array(question, answer))).dropDuplicates(["site", "post_id"])
    comments = inputs.comments.select("site", "post_id", "comment_id", "user_id", "created_at", "body")
    spoken = _after_whom(comments.join(inputs.broadcast_if_few(posts), on=["post_id", "site"]))
    events = spoken.select("site", "post_id", "known_at", F.inline(F.array_compact(_events())))
    return with_sentiment(events)


def _events() -> Column:
    """What a comment adds to which counts; its text only where the tone is asked for."""
    everybody, other = F.lit(EVERYBODY), _other()
    silent = F.lit(None).cast("string")
    about_all = _event(everybody, silent, comments=F.lit(1), by_asker=_one_if(_by("asker_id")))
    about_one = _event(other, silent, by_answerer=_one_if(~_by("asker_id")), sequential=_one_if(_follows(other)))
    on_answer = _event(
        everybody, F.col("body"), comments=F.lit(1), by_asker=_one_if(_by("asker_id")),
        by_answerer=_one_if(_by("answerer_id")), sequential=_one_if(_follows(F.col("answerer_id"))),
    )  # fmt: skip
    on_question = F.array(about_all, F.when(other.isNotNull(), about_one))
    return F.when(F.col("on_question"), on_question).otherwise(F.array(on_answer))


def _event(user: Column, body: Column, **given: Column) -> Column:
    counts = [given.get(name, F.lit(0)).cast("bigint").alias(name) for name in COUNTS]
    return F.struct(user.alias("user_id"), *counts, body.alias("body"))


def _after_whom(comments: DataFrame) -> DataFrame:
    """Add ``previous_id``, the user of the comment before, and call the time ``known_at``."""
    in_time = Window.partitionBy("post_id", "site").orderBy(
        F.col("created_at").asc_nulls_last(), F.length("comment_id"), "comment_id"
    )
    before = comments.withColumn("previous_id", F.lag("user_id").over(in_time))
    return before.withColumnRenamed("created_at", "known_at")


def _other() -> Column:
    """Whom a comment on a question concerns beside the asker: who wrote it, or whom the asker speaks after."""
    before = F.when(F.col("previous_id") != F.col("user_id"), F.col("previous_id"))
    return F.when(_by("asker_id"), before).otherwise(F.col("user_id"))


def _follows(answerer: Column) -> Column:
    """Whether the asker speaks directly after the answerer, or the other way round."""
    asker, speaker, previous = F.col("asker_id"), F.col("user_id"), F.col("previous_id")
    turn = ((speaker == asker) & (previous == answerer)) | ((speaker == answerer) & (previous == asker))
    return turn & (asker != answerer)


def _by(who: str) -> Column:
    return F.coalesce(F.col("user_id") == F.col(who), F.lit(False))


def _one_if(condition: Column) -> Column:
    return F.when(condition, 1).otherwise(0)
