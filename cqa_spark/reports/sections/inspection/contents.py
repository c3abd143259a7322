"""Rows, nulls and undeclared attributes of the tables of a site, counted in one pass."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import DELETED, INVENTED
from cqa_spark.lake.journal import Entry

# Groups rows by site.

Value = TypeVar("Value")


def first_rows(frame: DataFrame, limit: int, *order: Column | str, within: tuple[str, ...] = ("site",)) -> DataFrame:
    """Keep the first rows of each site.

    Args:
        frame: rows with a column ``site``.
        limit: number of rows to keep per group.
        order: a total order, so that the result does not depend on the partitions.
        within: grouping columns.
    """
    position = F.row_number().over(Window.partitionBy(*within).orderBy(*order))
    return frame.withColumn("position", position).where(F.col("position") <= limit).drop("position")


def grouped(rows: Iterable[Row] | Iterable[Entry], value: Callable[[Any], Value]) -> dict[str, tuple[Value, ...]]:
    """The values of rows, or of entries of a journal table, by site, in their order."""
    sites: dict[str, list[Value]] = defaultdict(list)
    for row in rows:
        sites[row["site"]].append(value(row))
    return {site: tuple(values) for site, values in sites.items()}


def stacked(frames: Iterable[DataFrame]) -> DataFrame:
    """Union of frames by column name; missing columns are null."""
    return reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), frames)


@dataclass(frozen=True)
class Counted:
    """A name, such as that of a column, and its number of rows."""

    name: str
    rows: int


@dataclass(frozen=True)
class Nulls:
    """The nulls of a column, among the rows that it applies to: answers have no title of their own, for example.

    Attributes:
        name: name of the column.
        rows: rows with a null that could have a value.
        of: rows that could have a value.
    """

    name: str
    rows: int
    of: int


@dataclass(frozen=True)
class TableFacts:
    """One table of one site.

    Attributes:
        name: name of the table.
        rows: number of rows of the site.
        quarantined: quarantined records from files that fill only this table.
        orphans: rows with a dangling reference, summed over all references.
        first: date of the earliest row, ISO 8601, UTC; None if no row has a timestamp.
        last: date of the latest row.
        nulls: the columns that have values and nulls.
        absent: columns without any value: the files do not have them, or they are about people and not stored.
        unknown_attributes: number of rows with each undeclared attribute, most frequent first.
    """

    name: str
    rows: int
    quarantined: int = 0
    orphans: int = 0
    first: str | None = None
    last: str | None = None
    nulls: tuple[Nulls, ...] = ()
    absent: tuple[str, ...] = ()
    unknown_attributes: tuple[Counted, ...] = ()


ATTRIBUTES = 100
"""Largest number of undeclared attributes per site and table; the most frequent ones are kept."""

DRIFT = "unknown_attributes"
ENDS_AND_QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

OF_QUESTIONS = (
    "subject", "tags", "category", "accepted_answer_id", "answer_count", "view_count", "favorite_count", "closed_at",
)  # fmt: skip
"""Columns of posts that answers never have."""

_TIMES = ("created_at", "earned_at")


def collect_tables(tables: Mapping[str, DataFrame]) -> dict[str, tuple[Row, ...]]:
    """A row per site and table with rows: ``table``, ``rows``, ``first``, ``last``, ``nulls``.

    The row of ``posts`` also has ``questions``, ``answers``, ``accepted``, ``deleted``, ``invented``,
    ``question_scores`` and ``answer_scores``.
    """
    return grouped(stacked(_summary(name, frame) for name, frame in tables.items()).collect(), lambda row: row)


def collect_drift(tables: Mapping[str, DataFrame]) -> dict[str, tuple[Row, ...]]:
    """A row per site, table and undeclared attribute: ``table``, ``attribute``, ``rows``; most frequent first."""
    named = [
        frame.select("site", F.lit(name).alias("table"), F.explode(F.map_keys(DRIFT)).alias("attribute"))
        for name, frame in tables.items()
        if DRIFT in frame.columns
    ]
    if not named:
        return {}
    counted = stacked(named).groupBy("site", "table", "attribute").agg(F.count(F.lit(1)).alias("rows"))
    order = (F.desc("rows"), "attribute")
    attributes = first_rows(counted, ATTRIBUTES, *order, within=("site", "table"))
    return grouped(attributes.orderBy("site", "table", *order).collect(), lambda row: row)


def _summary(name: str, frame: DataFrame) -> DataFrame:
    rows = F.count(F.lit(1))
    empty = [_nulls(name, column) for column in frame.columns if column not in ("site", DRIFT)]
    time = next((column for column in _TIMES if column in frame.columns), None)
    more = _of_posts() if name == "posts" else []
    summed = frame.groupBy("site").agg(
        rows.alias("rows"),
        _day(F.min(time) if time else None).alias("first"),
        _day(F.max(time) if time else None).alias("last"),
        F.array(*empty).alias("nulls"),
        *more,
    )
    return summed.withColumn("table", F.lit(name)).withColumn(
        "nulls", F.filter("nulls", lambda count_of_nulls: count_of_nulls.rows > 0)
    )


def _nulls(table: str, column: str) -> Column:
    """The nulls of a column, and the rows that could have a value."""
    applies = F.col("post_type") == "question" if table == "posts" and column in OF_QUESTIONS else F.lit(True)
    could = F.count_if(applies)
    nulls = F.count_if(applies & F.col(column).isNull())
    return F.struct(F.lit(column).alias("column"), nulls.alias("rows"), could.alias("of"))


def _of_posts() -> list[Column]:
    is_question, is_answer = F.col("post_type") == "question", F.col("post_type") == "answer"
    return [
        F.count_if(is_question).alias("questions"),
        F.count_if(is_answer).alias("answers"),
        F.count_if(F.col("post_type") == DELETED).alias("deleted"),
        F.count_if(F.col("post_type") == INVENTED).alias("invented"),
        F.count_if(is_question & F.col("accepted_answer_id").isNotNull()).alias("accepted"),
        # Exact, because approximate percentiles depend on the partitions; scores have few distinct values.
        F.percentile(F.when(is_question, F.col("score")), list(ENDS_AND_QUARTILES)).alias("question_scores"),
        F.percentile(F.when(is_answer, F.col("score")), list(ENDS_AND_QUARTILES)).alias("answer_scores"),
    ]


def _day(time: Column | None) -> Column:
    # As text, because a dump may contain years outside Python's range, 1 to 9999.
    return F.lit(None).cast("string") if time is None else F.date_format(time, "yyyy-MM-dd")


# Posts of a site by score, month and tag; a bounded number of rows per site reaches the driver.


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
    """Number of questions and answers, of posts with a deletion date, and of posts that the archive invented.

    The scores are minimum, quartiles and maximum; there are none where no post has a score.
    """

    questions: int
    answers: int
    accepted: int
    question_scores: tuple[float, ...] = ()
    answer_scores: tuple[float, ...] = ()
    deleted: int = 0
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
