"""Values of candidates compared within their query: who is ahead, by how much, and with which rank."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.features.arrays import Indices, Mask, Reals


@dataclass(frozen=True)
class WithinQuery:
    """Comparisons of candidates with the other candidates of their query; values are known for all of them.

    Attributes:
        query: index of the query of each candidate; candidates of a query are adjacent; shape (candidates,).
    """

    query: Indices

    @property
    def starts(self) -> Indices:
        """The index of the first candidate of each query."""
        return np.flatnonzero(np.diff(self.query, prepend=-1))

    def spread(self, of_query: Reals) -> Reals:
        """A value of each query, for each of its candidates."""
        return np.repeat(of_query, np.diff(self.starts, append=len(self.query)))

    def total(self, values: Reals) -> Reals:
        """The sum over the candidate's query."""
        return self.spread(np.add.reduceat(values, self.starts)) if len(values) else values

    def highest(self, values: Reals) -> Reals:
        """The maximum over the candidate's query."""
        return self.spread(np.maximum.reduceat(values, self.starts)) if len(values) else values

    def leads(self, values: Reals) -> Mask:
        """Whether no other candidate has a higher value."""
        return values == self.highest(values)

    def lead(self, values: Reals) -> Reals:
        """The value minus that of the best other candidate; 0 for the only candidate of a query."""
        best = self.leads(values)
        runner_up = self.highest(np.where(best, -np.inf, values))
        is_tied = self.total(best.astype(np.float64)) > 1
        # A sole leader is compared with the runner-up; everybody else with the leader, which for a tied leader is 0.
        rival = np.where(best & ~is_tied, runner_up, self.highest(values))
        return np.where(np.isinf(rival), 0.0, values - rival)


def above_mean(values: Reals, query: Indices) -> Reals:
    """Values minus the mean of the known values of the same query."""
    is_known = ~np.isnan(values)
    size = query.max(initial=0) + 1
    sums = np.bincount(query, np.where(is_known, values, 0), size)
    numbers = np.bincount(query, is_known, size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(values - (sums / numbers)[query])


def ranks(values: Reals, query: Indices) -> Reals:
    """Rank of each value within its query, highest first, from 1; ties share a rank, unknown values are ignored."""
    rank = np.full(len(values), np.nan)
    rows = np.flatnonzero(~np.isnan(values))
    for number in np.unique(query[rows]).tolist():
        candidates = rows[query[rows] == number]
        higher = values[candidates][None, :] > values[candidates][:, None]
        rank[candidates] = 1 + higher.sum(axis=1)
    return rank


def signed_log(values: Reals) -> Reals:
    """The logarithm of 1 plus the absolute value, with the sign of the value."""
    logs: Reals = np.sign(values) * np.log1p(np.abs(values))
    return logs
