"""Rows, nulls and undeclared attributes of the tables of a site, counted in one pass."""

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import INVENTED
from cqa_spark.reports.sections.inspection.by_site import first_rows, grouped, stacked


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
        absent: columns without any value, which the files do not have.
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

    The row of ``posts`` also has ``questions``, ``answers``, ``accepted``, ``invented``, ``question_scores`` and
    ``answer_scores``.
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
        F.count_if(F.col("post_type") == INVENTED).alias("invented"),
        F.count_if(is_question & F.col("accepted_answer_id").isNotNull()).alias("accepted"),
        # Exact, because approximate percentiles depend on the partitions; scores have few distinct values.
        F.percentile(F.when(is_question, F.col("score")), list(ENDS_AND_QUARTILES)).alias("question_scores"),
        F.percentile(F.when(is_answer, F.col("score")), list(ENDS_AND_QUARTILES)).alias("answer_scores"),
    ]


def _day(time: Column | None) -> Column:
    # As text, because a dump may contain years outside Python's range, 1 to 9999.
    return F.lit(None).cast("string") if time is None else F.date_format(time, "yyyy-MM-dd")
