"""Checks that a night serves an order of every question that has enough answers in the dump."""

from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_differs, reads
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.settings.sections import CheckSettings

NAME = "served questions"
"""Name of the check."""


@reads(POSTS, RANKINGS)
def served_questions(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The number of questions with enough dated answers for which no order is served; and those served last night."""
    if review.min_answers is None:
        return Verdict(NAME, True, None, 0, "the task ranks the candidates that it is given")
    if {POSTS.name, RANKINGS.name} <= review.same:
        return nothing_differs(NAME, 0)
    posts, question = review.now[POSTS.name].where("created_at IS NOT NULL"), ["site", "query_id"]
    asked = posts.where("post_type = 'question'").select("site", F.col("post_id").alias("query_id"))
    answered = posts.where("post_type = 'answer'").groupBy("site", F.col("thread_id").alias("query_id")).count()
    enough = asked.join(answered.where(F.col("count") >= review.min_answers), on=question, how="left_semi")
    first = "served AND rank = 1"
    unserved = enough.join(review.now[RANKINGS.name].where(first), on=question, how="left_anti")
    last = review.last.get(RANKINGS.name)
    was_served = F.lit(False) if last is None else F.col("was_served")
    if last is not None:
        before = last.where(first).select(*question, F.lit(True).alias("was_served")).distinct()
        unserved = unserved.join(before, on=question, how="left")
    counts = unserved.agg(F.count(F.lit(1)).alias("unserved"), F.count_if(was_served).alias("lost")).first()
    assert counts is not None, "an aggregate has one row"
    reason = f"{counts['unserved']:,} questions with {review.min_answers} answers or more are not served"
    if last is not None:
        reason += f", {counts['lost']:,} of them were last night"
    return Verdict(NAME, counts["unserved"] == 0, counts["unserved"], 0, reason)
