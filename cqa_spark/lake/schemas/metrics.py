"""Metrics of rankings against judgments."""

from collections.abc import Collection

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import SiteTable, column, required

MEASURE: T.StructField = required("measure", "string", "the measure as it prints, such as MAP@10")
SEED: T.StructField = required("seed", "int", "seed of the resampling")
RESAMPLES: T.StructField = required("resamples", "int", "number of resamples")
RESAMPLING = (RESAMPLES, SEED)

OF_SYSTEM = (SYSTEM, TASK, SPLIT, MEASURE)
"""A measure of a system on a split of a task."""

AGGREGATE = (
    required("value", "double", "fraction from 0 to 1"),
    required("low", "double", "lower end of the bootstrap interval"),
    required("high", "double", "upper end of the bootstrap interval"),
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
    ),
    key=("task", "split", "site", "query_id"),
)

METRICS: JournalTable = JournalTable(
    "metrics",
    "Each measure of each system over all queries, with its bootstrap interval.",
    (*OF_SYSTEM, *AGGREGATE, *RESAMPLING),
    key=("system", "task", "split", "measure"),
)

COMPARISONS: JournalTable = JournalTable(
    "comparisons",
    "Paired randomization tests of systems against a baseline, with bootstrap intervals of the differences.",
    (
        TASK,
        SPLIT,
        MEASURE,
        SYSTEM,
        required("baseline", "string", "system that it is compared with"),
        required("difference", "double", "system minus baseline, a fraction"),
        column("difference_low", "double", "lower end of the paired bootstrap interval of the difference"),
        column("difference_high", "double", "upper end of the paired bootstrap interval of the difference"),
        required("p_value", "double", "two-sided, of the paired randomization test over queries, adjusted by Holm"),
        required("wins", "int", "queries on which the system is better"),
        required("losses", "int", "queries on which the baseline is better"),
        required("ties", "int", "queries on which both are equal"),
        *RESAMPLING,
    ),
    key=("task", "split", "measure", "system", "baseline"),
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
