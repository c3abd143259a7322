"""Selects the answers of a preferred-answer data set, with the reasons for excluding threads."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.config.preferred_answer_settings import AnswerSettings
from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP, end_of_day

KEPT = "kept"
PROPERTIES = ("self_answer", "late", "ownerless", "early")
"""Whether the asker wrote the answer, whether it was posted after the acceptance, whether its account is deleted, and
whether it is older than its question."""

_MICROSECONDS_AN_HOUR = 3_600_000_000


def judged_answers(posts: DataFrame, votes: DataFrame) -> DataFrame:
    """Every answer whose question is in the dump, with the properties that may exclude it.

    Votes have dates without times, so an acceptance is known at the end of its day; later answers are late. The last
    vote counts, because an asker may withdraw an acceptance and accept again. Answers older than their question, from
    merged questions and wrong clocks, are not treated differently.

    Args:
        posts: the table ``posts``.
        votes: the table ``votes``; if it is empty, no acceptance has a time.

    Returns:
        site, query_id, candidate_id, author_id, asker_id, asked_at, answered_at, known_at (the end of the day of the
        acceptance), accepted (null if the asker accepted none), final_votes (up minus down), and the ``PROPERTIES``,
        booleans. The answers of a question are in one partition.
    """
    questions = posts.where(F.col("post_type") == "question").select(
        "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"), "accepted_answer_id",
    )  # fmt: skip
    answers = posts.where(F.col("post_type") == "answer").select(
        "site", F.col("thread_id").alias("query_id"), F.col("post_id").alias("candidate_id"),
        F.col("user_id").alias("author_id"), F.col("created_at").alias("answered_at"),
    )  # fmt: skip
    is_accepting, is_up, is_down = (F.col("vote_type_id") == type_ for type_ in (ACCEPTED, UP, DOWN))
    by_post = (
        votes.where(is_accepting | is_up | is_down)
        .groupBy("site", F.col("post_id").alias("candidate_id"))
        .agg(
            F.max(F.when(is_accepting, end_of_day("created_at"))).alias("accepted_at"),
            (F.count_if(is_up) - F.count_if(is_down)).alias("votes"),
        )
    )
    joined = answers.join(by_post, on=["site", "candidate_id"], how="left").join(questions, on=["site", "query_id"])
    accepted = F.col("candidate_id") == F.col("accepted_answer_id")
    thread = Window.partitionBy("site", "query_id")
    judged = joined.withColumns(
        {"accepted": accepted, "known_at": F.max(F.when(accepted, F.col("accepted_at"))).over(thread)}
    )
    return judged.select(
        "site", "query_id", "candidate_id", "author_id", "asker_id", "asked_at", "answered_at", "known_at", "accepted",
        F.coalesce("votes", F.lit(0)).alias("final_votes"),
        _known(F.col("author_id") == F.col("asker_id")).alias("self_answer"),
        _known(F.col("answered_at") >= F.col("known_at")).alias("late"),
        F.col("author_id").isNull().alias("ownerless"),
        _known(F.col("answered_at") < F.col("asked_at")).alias("early"),
    )  # fmt: skip


def candidates(answers: DataFrame, rules: AnswerSettings) -> DataFrame:
    """Apply the rules.

    Args:
        answers: as ``judged_answers`` returns them.
        rules: selection rules.

    Returns:
        The candidates, with ``initial_rank`` (from 1 by time; ties are broken by id) and ``outcome``: ``KEPT``, or the
        reason for excluding the thread.
    """
    wanted = answers.where(_allowed(rules))
    thread = Window.partitionBy("site", "query_id")
    in_time = thread.orderBy(F.col("answered_at").asc_nulls_last(), F.length("candidate_id"), "candidate_id")
    outcome = (
        F.when(F.max("accepted").over(thread).isNull(), "no answer is accepted")
        .when(F.count_if("accepted").over(thread) == 0, "the accepted answer is not among the candidates")
        .when(_accepted_by_the_cut(rules), "the question was no longer open")
        .when(F.count(F.lit(1)).over(thread) < rules.min_answers, f"fewer than {rules.min_answers} answers")
        .otherwise(KEPT)
    )
    return wanted.select("*", F.row_number().over(in_time).alias("initial_rank"), outcome.alias("outcome"))


def _allowed(rules: AnswerSettings) -> Column:
    allowed = F.lit(True)
    for property_, are_allowed in (
        ("self_answer", rules.self_answers), ("late", rules.late_answers), ("ownerless", rules.deleted_owners)
    ):  # fmt: skip
        if not are_allowed:
            allowed = allowed & ~F.col(property_)
    if rules.within_hours is not None:
        allowed = allowed & _within("answered_at", rules.within_hours)
    return allowed


def _accepted_by_the_cut(rules: AnswerSettings) -> Column:
    if not rules.open_questions or rules.within_hours is None:
        return F.lit(False)
    return _known(_within("known_at", rules.within_hours))


def _within(moment: str, hours: float) -> Column:
    return F.unix_micros(moment) - F.unix_micros("asked_at") <= round(hours * _MICROSECONDS_AN_HOUR)


def _known(condition: Column) -> Column:
    return F.coalesce(condition, F.lit(False))
