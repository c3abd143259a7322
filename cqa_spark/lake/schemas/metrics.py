"""Metrics of rankings against judgments."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import QUERY_ID, TASK
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import Table, column

MEASURE = column("measure", "string", "the measure as it prints, such as MAP@10", nullable=False)
SEED = column("seed", "int", "seed of the resampling", nullable=False)
RESAMPLES = column("resamples", "int", "number of resamples", nullable=False)
RESAMPLING = (RESAMPLES, SEED)

OF_SYSTEM = (SYSTEM, TASK, SPLIT, MEASURE)
"""A measure of a system on a split of a task."""

AGGREGATE = (
    column("value", "double", "fraction from 0 to 1", nullable=False),
    column("low", "double", "lower end of the bootstrap interval", nullable=False),
    column("high", "double", "upper end of the bootstrap interval", nullable=False),
    column("confidence", "double", "coverage of the interval, such as 0.95", nullable=False),
    column("queries", "int", "number of queries that were aggregated", nullable=False),
)
"""A measure over all queries, and its uncertainty."""

_OF_QUERY = (
    T.StructType()
    .add("system", "string")
    .add("measure", "string")
    .add("value", "double")
    .add("components", T.ArrayType(T.DoubleType()))
)

QUERY_METRICS = Table(
    "query_metrics",
    "Every measure of each query, before aggregation; in SQL, `inline(measures)` has a row for each measure.",
    (
        TASK,
        SPLIT,
        SITE,
        QUERY_ID,
        column(
            "measures",
            T.ArrayType(_OF_QUERY),
            "every measure of every system, in the order of their names: the measure of this query alone, a fraction, "
            "and the terms that the measure sums over queries before it aggregates",
            nullable=False,
        ),
    ),
    key=("task", "split", "site", "query_id"),
    partition_by=("site",),
)

METRICS = JournalTable(
    "metrics",
    "Each measure of each system over all queries, with its bootstrap interval.",
    (*OF_SYSTEM, *AGGREGATE, *RESAMPLING),
    key=("system", "task", "split", "measure"),
)

COMPARISONS = JournalTable(
    "comparisons",
    "Paired randomization tests of systems against a baseline, with bootstrap intervals of the differences.",
    (
        TASK,
        SPLIT,
        MEASURE,
        SYSTEM,
        column("baseline", "string", "system that it is compared with", nullable=False),
        column("difference", "double", "system minus baseline, a fraction", nullable=False),
        column("difference_low", "double", "lower end of the paired bootstrap interval of the difference"),
        column("difference_high", "double", "upper end of the paired bootstrap interval of the difference"),
        column(
            "p_value",
            "double",
            "two-sided, of the paired randomization test over queries, adjusted by Holm",
            nullable=False,
        ),
        column("wins", "int", "queries on which the system is better", nullable=False),
        column("losses", "int", "queries on which the baseline is better", nullable=False),
        column("ties", "int", "queries on which both are equal", nullable=False),
        *RESAMPLING,
    ),
    key=("task", "split", "measure", "system", "baseline"),
)

WHERE = column("site", "string", "community; * for all of them together", nullable=False)

SITE_METRICS = JournalTable(
    "site_metrics",
    "Each measure of each system on each site and over all, with its interval and the paired test against a baseline.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        WHERE,
        MEASURE,
        *AGGREGATE,
        column("baseline", "string", "system that it is compared with", nullable=False),
        column("difference", "double", "system minus baseline, a fraction; 0 for itself", nullable=False),
        column(
            "p_value",
            "double",
            "two-sided, of the paired randomization test, adjusted by Holm; 1 for itself",
            nullable=False,
        ),
        *RESAMPLING,
    ),
    key=("system", "task", "split", "site", "measure"),
)

SET_METRICS = JournalTable(
    "set_metrics",
    "The first measure of each system on each set of sentence pairs, and its means over the sets.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        column("set_name", "string", "folder and name of the set; mean by pairs; mean of sets", nullable=False),
        MEASURE,
        *AGGREGATE,
        column("baseline", "string", "system that it is compared with", nullable=False),
        column("difference", "double", "system minus baseline, a fraction; 0 for itself", nullable=False),
        column("p_value", "double", "two-sided, of the paired bootstrap test; 1 for itself", nullable=False),
        *RESAMPLING,
    ),
    key=("system", "task", "split", "set_name", "measure"),
)
