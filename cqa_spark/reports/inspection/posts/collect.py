"""Counts posts by score, month and tag in Spark; a bounded number of rows per site reaches the driver."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.inspection.by_site import collected, first_rows

LOWEST_SCORE, HIGHEST_SCORE = -5, 20
"""Scores beyond these bounds are counted at the bounds."""

MONTHS = 600
"""Largest number of months; the latest ones are kept."""

TAGS = 20
"""Largest number of tags; those with the most questions are kept."""


def collect_scores(posts: DataFrame) -> dict[str, list[Row]]:
    """A row per site and score: ``score``, ``questions``, ``answers``; lowest score first."""
    bounded = F.greatest(F.lit(LOWEST_SCORE), F.least(F.lit(HIGHEST_SCORE), F.col("score"))).alias("score")
    scored = posts.where(F.col("score").isNotNull() & F.col("post_type").isin("question", "answer"))
    return collected(_questions_and_answers(scored, bounded).orderBy("site", "score"))


def collect_months(posts: DataFrame) -> dict[str, list[Row]]:
    """A row per site and month: ``month``, ``questions``, ``answers``; earliest first."""
    month = (F.year("created_at") * 12 + F.month("created_at") - 1).alias("month")
    dated = posts.where(F.col("created_at").isNotNull() & F.col("post_type").isin("question", "answer"))
    latest = first_rows(_questions_and_answers(dated, month), MONTHS, F.desc("month"))
    return collected(latest.orderBy("site", "month"))


def collect_tags(posts: DataFrame) -> dict[str, list[Row]]:
    """A row per site and tag: ``tag``, ``rows``; most questions first."""
    tags = posts.where(F.col("post_type") == "question").select("site", F.explode("tags").alias("tag"))
    counted = tags.groupBy("site", "tag").agg(F.count(F.lit(1)).alias("rows"))
    order = (F.desc("rows"), "tag")
    return collected(first_rows(counted, TAGS, *order).orderBy("site", *order))


def _questions_and_answers(posts: DataFrame, by: Column) -> DataFrame:
    return posts.groupBy("site", by).agg(
        F.count_if(F.col("post_type") == "question").alias("questions"),
        F.count_if(F.col("post_type") == "answer").alias("answers"),
    )
