"""The measures of queries, with a row for each query (``QUERY_METRICS``) or for each of its measures."""

from collections.abc import Collection

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.metrics import QUERY_METRICS


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
    return query_metrics.withColumn("measures", F.filter("measures", lambda each: each["system"].isin(*systems)))
