"""Metrics of rankings against judgments."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import SiteTable, column, required

NIGHTS = "nights"
"""The split of replayed nights, and the population of all of them."""

WHEN_TRAINED = "when trained"
"""A population: the queries that a night's system was measured on when its model was trained."""

ON_SITE = "on "
"""Begins the name of a population: the replayed nights of a site, whose name follows."""

ALL = "all"
"""The band of all queries of a population."""

MEASURE: T.StructField = required("measure", "string", "the measure as it prints, such as MAP@10")
SEED: T.StructField = required("seed", "int", "seed of the resampling")
RESAMPLES: T.StructField = required("resamples", "int", "number of resamples")
RESAMPLING = (RESAMPLES, SEED)

_PART = (
    column(
        "population",
        "string",
        "null: all queries of the split. Of replayed nights also: these weighted to the ages of served threads, and "
        "the last of each thread. Of the system that nights rank with also: those of a site, and what it was measured "
        "on when trained",
    ),
    column("band", "string", "band of age or of votes of replayed nights; null: all"),
)
"""The part of the queries of a split that a measure is over."""

_RESAMPLED = tuple(
    column(field.name, field.dataType, f"{field.metadata['comment']}; null for replayed nights") for field in RESAMPLING
)
"""Replayed nights are not resampled: their intervals and tests are Student's t with errors by thread."""

OF_SYSTEM = (SYSTEM, TASK, SPLIT, MEASURE)
"""A measure of a system on a split of a task."""

AGGREGATE = (
    required("value", "double", "fraction from 0 to 1"),
    required("low", "double", "lower end of the interval"),
    required("high", "double", "upper end of the interval"),
    required("confidence", "double", "coverage of the interval, such as 0.95"),
    required("queries", "int", "number of queries that were aggregated"),
)
"""A measure over all queries, and its uncertainty."""

_OF_QUERY = (
    T.StructType()
    .add("system", "string")
    .add("measure", "string")
    .add("value", "double")
    .add("components", T.ArrayType(T.DoubleType()))
)

QUERY_METRICS: SiteTable = SiteTable(
    "query_metrics",
    "Every measure of each query, before aggregation; in SQL, `inline(measures)` has a row for each measure.",
    (
        TASK,
        SPLIT,
        SITE,
        QUERY_ID,
        required(
            "topic", "string", "what dependent queries share, such as the question that their threads were found for"
        ),
        required(
            "measures",
            T.ArrayType(_OF_QUERY),
            "every measure of every system, in the order of their names: the measure of this query alone, a fraction, "
            "and the terms that the measure sums over queries before it aggregates",
        ),
        column("thread_id", "string", "the question of a replayed night; null for other queries"),
        column("age_days", "int", "age of the question on a replayed night, in days; null for other queries"),
        column("votes", "bigint", "votes, up and down, for the answers of a replayed night; null for other queries"),
    ),
    key=("task", "split", "site", "query_id"),
)

METRICS: JournalTable = JournalTable(
    "metrics",
    "Each measure of each system over all queries, and over parts of replayed nights, with its interval.",
    (
        *OF_SYSTEM,
        *_PART,
        *AGGREGATE,
        column("topics", "int", "number of threads that the replayed nights are of; null for other queries"),
        *_RESAMPLED,
    ),
    key=("system", "task", "split", "measure", "population", "band"),
)

COMPARISONS: JournalTable = JournalTable(
    "comparisons",
    "Paired tests of systems against a baseline, with intervals of the differences: on replayed nights t-tests by "
    "thread, on other queries randomization tests and the bootstrap.",
    (
        TASK,
        SPLIT,
        MEASURE,
        SYSTEM,
        *_PART,
        required("baseline", "string", "system that it is compared with"),
        required("difference", "double", "system minus baseline, a fraction"),
        column("difference_low", "double", "lower end of the interval of the difference"),
        column("difference_high", "double", "upper end of the interval of the difference"),
        required("p_value", "double", "two-sided, of the paired test, adjusted by Holm"),
        column("wins", "int", "queries on which the system is better; null in figures of a model's card"),
        column("losses", "int", "queries on which the baseline is better; null in figures of a model's card"),
        column("ties", "int", "queries on which both are equal; null in figures of a model's card"),
        *_RESAMPLED,
    ),
    key=("task", "split", "measure", "system", "population", "band", "baseline"),
)

WHERE: T.StructField = required("site", "string", "community; * for all of them together")

SITE_METRICS: JournalTable = JournalTable(
    "site_metrics",
    "Each measure of each system on each site and over all, with its interval and the paired test against a baseline.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        WHERE,
        MEASURE,
        *AGGREGATE,
        required("baseline", "string", "system that it is compared with"),
        required("difference", "double", "system minus baseline, a fraction; 0 for itself"),
        required("p_value", "double", "two-sided, of the paired randomization test, adjusted by Holm; 1 for itself"),
        *RESAMPLING,
    ),
    key=("system", "task", "split", "site", "measure"),
)

SET_METRICS: JournalTable = JournalTable(
    "set_metrics",
    "The first measure of each system on each set of sentence pairs, and its means over the sets.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        required("set_name", "string", "folder and name of the set; mean by pairs; mean of sets"),
        MEASURE,
        *AGGREGATE,
        required("baseline", "string", "system that it is compared with"),
        required("difference", "double", "system minus baseline, a fraction; 0 for itself"),
        required("p_value", "double", "two-sided, of the paired bootstrap test, adjusted by Holm; 1 for itself"),
        *RESAMPLING,
    ),
    key=("system", "task", "split", "set_name", "measure"),
)


def by_measure(query_metrics: DataFrame) -> DataFrame:
    """A row for each query, system and measure.

    Args:
        query_metrics: rows of ``QUERY_METRICS``; further columns are kept.

    Returns:
        The columns of the query, then ``system``, ``measure``, ``value`` and ``components``.
    """
    return query_metrics.select(*[name for name in query_metrics.columns if name != "measures"], F.inline("measures"))


@dataclass(frozen=True)
class Worth:
    """A measure of an order in a part of the queries, and its difference from a simple order, as fractions.

    With a single thread, the interval of the difference is infinite and the p-value is 1.

    Attributes:
        order: name of the order: a system, or a simple order.
        population: replayed nights, these weighted to the ages of served threads, the last of each thread, or those
            of a site; of other queries, the split.
        band: ``ALL``, or a band of age or of votes.
        measure: name of the measure.
        value: the measure.
        low: lower bound of its 95 % interval.
        high: upper bound.
        difference: the value minus that of the simple order.
        low_difference: lower bound of its 95 % interval.
        high_difference: upper bound.
        p_value: two-sided, of no difference.
        nights: number of nights, or of other queries.
        threads: number of threads that the nights are of; of other queries, their number.
    """

    order: str
    population: str
    band: str
    measure: str
    value: float
    low: float
    high: float
    difference: float
    low_difference: float
    high_difference: float
    p_value: float
    nights: int
    threads: int


def of_population(entries: Iterable[Entry], population: str | None) -> list[Entry]:
    """The entries of ``METRICS`` or ``COMPARISONS`` about a population, of all bands together.

    Args:
        entries: the entries.
        population: as in its column: None for all queries of a split.
    """
    return [entry for entry in entries if (entry.get("population"), entry.get("band")) == (population, None)]


def worth_of(metrics: Collection[Entry], comparisons: Iterable[Entry], baseline: str | None) -> list[Worth]:
    """The measures of a baseline, and of the systems that are compared with it, in their order.

    Args:
        metrics: entries of ``METRICS``.
        comparisons: entries of ``COMPARISONS``.
        baseline: name of the baseline.
    """

    def about(entry: Entry) -> tuple[str | None, ...]:
        return tuple(entry.get(name) for name in ("system", "split", "measure", "population", "band"))

    tests = {about(entry): entry for entry in comparisons if entry["baseline"] == baseline}
    tests |= {
        about(entry): {"difference": 0.0, "difference_low": 0.0, "difference_high": 0.0, "p_value": 1.0}
        for entry in metrics
        if entry["system"] == baseline
    }
    return [
        Worth(
            order=metric["system"], population=metric.get("population") or metric["split"],
            band=metric.get("band") or ALL, measure=metric["measure"], value=metric["value"], low=metric["low"],
            high=metric["high"], difference=test["difference"], low_difference=test["difference_low"],
            high_difference=test["difference_high"], p_value=test["p_value"], nights=metric["queries"],
            threads=metric.get("topics") or metric["queries"],
        )
        for metric in metrics
        if (test := tests.get(about(metric))) is not None
    ]  # fmt: skip


def by_query(measures: DataFrame) -> DataFrame:
    """Rows of ``QUERY_METRICS``.

    Args:
        measures: result of ``by_measure``, or unions of such.
    """
    of_query = F.collect_list(F.struct("system", "measure", "value", "components"))
    return measures.groupBy(*QUERY_METRICS.key, "topic").agg(F.array_sort(of_query).alias("measures"))


def of_systems(query_metrics: DataFrame, systems: Collection[str]) -> DataFrame:
    """The measures of some systems only.

    Args:
        query_metrics: rows of ``QUERY_METRICS``.
        systems: names of the systems.
    """
    return query_metrics.withColumn("measures", F.filter("measures", lambda measure: measure["system"].isin(*systems)))
