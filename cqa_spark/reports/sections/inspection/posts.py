"""Posts of a site by score, month and tag; a bounded number of rows per site reaches the driver."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.reports.sections.inspection.by_site import first_rows, grouped
from cqa_spark.reports.sections.inspection.tables import Counted


@dataclass(frozen=True)
class Quartiles:
    """Minimum, quartiles and maximum of a distribution."""

    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


@dataclass(frozen=True)
class ScoreCount:
    """Number of questions and answers with a score; the lowest and highest score include all scores beyond them."""

    score: int
    questions: int
    answers: int


@dataclass(frozen=True)
class Month:
    """Number of questions and answers in one month.

    Attributes:
        number: months since the year 0: twelve times the year, plus 0 for January to 11 for December.
        questions: questions of the month.
        answers: answers of the month.
    """

    number: int
    questions: int
    answers: int


@dataclass(frozen=True)
class ThreadCounts:
    """Number of questions and answers, with the distributions of their scores; number of posts that were invented."""

    questions: int
    answers: int
    accepted: int
    question_scores: Quartiles | None = None
    answer_scores: Quartiles | None = None
    invented: int = 0

    @property
    def answers_per_question(self) -> float | None:
        """Mean number of answers; None without questions."""
        return self.answers / self.questions if self.questions else None


LOWEST_SCORE, HIGHEST_SCORE = -5, 20
"""Scores beyond these bounds are counted at the bounds."""

MONTHS = 600
"""Largest number of months; the latest ones are kept."""

TAGS = 20
"""Largest number of tags; those with the most questions are kept."""


def collect_scores(posts: DataFrame) -> dict[str, tuple[ScoreCount, ...]]:
    """Questions and answers of each site by score, the lowest first."""
    bounded = F.greatest(F.lit(LOWEST_SCORE), F.least(F.lit(HIGHEST_SCORE), F.col("score"))).alias("score")
    scored = posts.where(F.col("score").isNotNull() & F.col("post_type").isin("question", "answer"))
    rows = _questions_and_answers(scored, bounded).orderBy("site", "score").collect()
    return grouped(rows, lambda row: ScoreCount(row.score, row.questions, row.answers))


def collect_months(posts: DataFrame) -> dict[str, tuple[Month, ...]]:
    """Questions and answers of each site by month, the earliest first."""
    month = (F.year("created_at") * 12 + F.month("created_at") - 1).alias("month")
    dated = posts.where(F.col("created_at").isNotNull() & F.col("post_type").isin("question", "answer"))
    latest = first_rows(_questions_and_answers(dated, month), MONTHS, F.desc("month"))
    rows = latest.orderBy("site", "month").collect()
    return grouped(rows, lambda row: Month(row.month, row.questions, row.answers))


def collect_tags(posts: DataFrame) -> dict[str, tuple[Counted, ...]]:
    """The tags of each site with the most questions."""
    tags = posts.where(F.col("post_type") == "question").select("site", F.explode("tags").alias("tag"))
    counted = tags.groupBy("site", "tag").agg(F.count(F.lit(1)).alias("rows"))
    order = (F.desc("rows"), "tag")
    rows = first_rows(counted, TAGS, *order).orderBy("site", *order).collect()
    return grouped(rows, lambda row: Counted(row.tag, row.rows))


def _questions_and_answers(posts: DataFrame, by: Column) -> DataFrame:
    return posts.groupBy("site", by).agg(
        F.count_if(F.col("post_type") == "question").alias("questions"),
        F.count_if(F.col("post_type") == "answer").alias("answers"),
    )
