"""Means of queries that share a thread or a topic, with intervals and tests that hold for few clusters.

The rule for every interval and test of the package: queries with a common topic (the nights of a thread, the threads
that a search engine found for one question, questions that duplicate each other) are one cluster, and clusters are what
was sampled. Fewer than ``FEWEST`` clusters decide nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pyspark.sql import Column


Reals = NDArray[np.float64]
Longs = NDArray[np.int64]

CONFIDENCE = 0.95
"""Coverage of the intervals."""

FEWEST = 10
"""Number of clusters below which a check, or the choice of an order, says that there are too few."""

_RELATED_THREAD, _ORIGINAL_QUESTION = r"^(Q\d+)_R\d+$", r"\1"
"""Ids of subtask A: a search engine found these threads for one original question."""


class Bounds(NamedTuple):
    """What is possible for a query.

    Attributes:
        lowest: the lowest possible value.
        highest: the highest possible value.
        added: number of clusters of mean size that intervals count in addition, at each of the two.
    """

    lowest: float
    highest: float
    added: float


OF_VALUES, OF_DIFFERENCES = Bounds(0.0, 1.0, added=1.0), Bounds(-1.0, 1.0, added=0.5)
"""Of a measure, and of the difference of two systems. Fewer added clusters would not do: simulated intervals would hold
the true value in fewer than 93 of 100 samples."""


@dataclass(frozen=True)
class Estimate:
    """A mean over clusters of queries.

    Attributes:
        value: the mean over all queries.
        error: its standard error; infinite for a single cluster.
        low: lower bound of its 95 % interval, infinite for a single cluster.
        high: upper bound.
        p_value: two-sided, that the true mean is in the middle of what is possible: 0 for a difference.
        queries: number of queries, or the sum of their weights.
        clusters: number of clusters.
    """

    value: float
    error: float
    low: float
    high: float
    p_value: float
    queries: float
    clusters: int


class ClusterSums(NamedTuple):
    """Sums over clusters, from which the mean of the queries and its error follow; numbers of queries may be weights.

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
    queries: float
    squared_values: float
    products: float
    squared_queries: float

    def estimate(self, bounds: Bounds) -> Estimate:
        """The mean of the queries, with its interval.

        The interval and the test count clusters of mean size in addition, as many with the lowest possible value as
        with the highest. Clusters that all agree therefore have an error, too.

        Args:
            bounds: what is possible for a query.

        Source:
            The linearised error of a ratio (Cochran 1977, Sampling Techniques, section 9A.2); Student's t with the
            effective number of clusters (Kish 1965, Survey Sampling, section 11.7) less one; the added clusters are
            those of Agresti and Caffo 2000, The American Statistician 54, 280-288, for means, and of Agresti and Min
            2005, Statistics in Medicine 24, 729-740, for differences.
        """
        from scipy.special import stdtr, stdtrit

        value = self.values / self.queries
        if self.clusters == 1:
            return Estimate(value, np.inf, -np.inf, np.inf, 1.0, self.queries, 1)
        lowest, highest, number = bounds
        size, clusters = self.squared_queries / self.queries, self.clusters + 2 * number
        queries = self.queries + 2 * number * size
        centre = (self.values + number * (lowest + highest) * size) / queries
        squares = self.squared_values - 2 * centre * self.products + centre**2 * self.squared_queries
        added = number * size**2 * ((lowest - centre) ** 2 + (highest - centre) ** 2)
        error = float(np.sqrt((max(0.0, squares) + added) * clusters / (clusters - 1))) / queries
        # Weights of one query only leave no degree of freedom.
        degrees = max(1e-3, self.queries / size - 1)
        wide = min(highest - lowest, float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * error)
        p_value = float(2 * stdtr(degrees, -abs(centre - (lowest + highest) / 2) / error))
        low, high = max(lowest, centre - wide), min(highest, centre + wide)
        return Estimate(value, error, low, high, p_value, self.queries, self.clusters)


def clustered_mean(values: Reals, clusters: Longs, weights: Reals | None = None) -> Estimate:
    """The mean of a measure over queries, sampled in clusters.

    Args:
        values: of each query, from 0 to 1; shape (queries,).
        clusters: a number for the cluster of each query; shape (queries,).
        weights: from 0; shape (queries,). Default: equal ones.

    >>> mean = clustered_mean(np.array([1.0, 1.0, 0.0, 1.0]), np.array([1, 1, 2, 3]))
    >>> mean.value, mean.queries, mean.clusters
    (0.75, 4.0, 3)
    """
    return _sums(values, clusters, weights).estimate(OF_VALUES)


def paired_difference(values: Reals, clusters: Longs, weights: Reals | None = None) -> Estimate:
    """The mean of differences of two systems, from -1 to 1, on the same queries; arguments as of ``clustered_mean``."""
    return _sums(values, clusters, weights).estimate(OF_DIFFERENCES)


def topic(thread: str) -> Column:
    """The topic of a query, by the column with the thread that represents it and its repeats."""
    from pyspark.sql import functions as F  # files are compared without Spark

    return F.regexp_replace(thread, _RELATED_THREAD, _ORIGINAL_QUESTION.replace("\\", "$"))


def topic_numbers(queries: pa.StringArray) -> Longs:
    """A number for the topic of each query of a file, whose ids are all that is known of them."""
    topics = pc.replace_substring_regex(queries, pattern=_RELATED_THREAD, replacement=_ORIGINAL_QUESTION)
    return np.asarray(topics.dictionary_encode().indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def cluster_sums(values: str, queries: str) -> Column:
    """Add up rows of clusters where they are stored; the fields of the struct are those of ``ClusterSums``.

    Args:
        values: SQL expression of the sum of a cluster's values.
        queries: that of its number of queries.
    """
    from pyspark.sql import functions as F  # files are compared without Spark

    terms = (values, queries, f"({values}) * ({values})", f"({values}) * {queries}", f"{queries} * {queries}")
    return F.struct(F.count(F.lit(1)), *[F.expr(f"sum({term})") for term in terms])


def _sums(values: Reals, clusters: Longs, weights: Reals | None) -> ClusterSums:
    weights = np.ones(len(values)) if weights is None else weights
    counted = weights > 0
    _, numbers = np.unique(clusters[counted], return_inverse=True)
    sums, sizes = np.bincount(numbers, (values * weights)[counted]), np.bincount(numbers, weights[counted])
    terms = (sums, sizes, sums * sums, sums * sizes, sizes * sizes)
    return ClusterSums(len(sizes), *[float(term.sum()) for term in terms])


def in_points(value: float, low: float, high: float) -> str:
    """A difference of shares in percentage points, with its interval, for texts: ``+4.9 points [-0.6, +10.2]``."""
    return f"{100 * value:+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}]"
