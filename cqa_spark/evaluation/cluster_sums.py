"""A mean over clusters of queries, such as threads, from sums that Spark adds up where the rows are."""

from typing import NamedTuple

import numpy as np
from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.evaluation.night_worth import interval_and_p_value


class ClusterSums(NamedTuple):
    """Sums over clusters, from which the mean of the queries and its error follow.

    Attributes:
        clusters: number of clusters.
        values: sum of the values of all queries.
        queries: number of queries.
        squared_values: of each cluster's sum of values, squared.
        products: of each cluster's sum of values, times its queries.
        squared_queries: of each cluster's number of queries, squared.
    """

    clusters: int
    values: float
    queries: int
    squared_values: float
    products: float
    squared_queries: int

    def mean(self) -> float:
        """The mean of the values of all queries."""
        return self.values / self.queries

    def interval_and_p_value(self) -> tuple[float, float, float]:
        """The 95 % interval of the mean, infinite for a single cluster, and the two-sided p-value that the mean is 0.

        The error is that of a ratio, as in ``night_worth.clustered_mean``.
        """
        mean, clusters = self.mean(), self.clusters
        squares = max(0.0, self.squared_values - 2 * mean * self.products + mean**2 * self.squared_queries)
        error = float(np.sqrt(squares * clusters / (clusters - 1))) / self.queries if clusters > 1 else np.inf
        return interval_and_p_value(mean, error, clusters)


def cluster_sums(values: str, queries: str) -> Column:
    """Add up rows of clusters; the fields of the struct are those of ``ClusterSums``.

    Args:
        values: SQL expression of the sum of a cluster's values.
        queries: that of its number of queries.
    """
    terms = (values, queries, f"({values}) * ({values})", f"({values}) * {queries}", f"{queries} * {queries}")
    return F.struct(F.count(F.lit(1)), *[F.expr(f"sum({term})") for term in terms])
