"""Compares the candidates of a query with each other: who is ahead, by how much, and who came when."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.features.arrays import Indices, Mask, Reals


@dataclass(frozen=True)
class Rivals:
    """The candidates of some queries that take part in comparisons.

    Attributes:
        query: index of the query of each candidate, those of a query adjacent; shape (candidates,).
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
        """Whether no rival has a higher value."""
        return values == self.highest(values)

    def lead(self, values: Reals) -> Reals:
        """The value minus that of the best rival; 0 for a candidate without rivals."""
        best = self.leads(values)
        runner_up = self.highest(np.where(best, -np.inf, values))
        shared = self.total(best.astype(np.float64)) > 1
        rival = np.where(best & ~shared, runner_up, self.highest(values))
        return np.where(np.isinf(rival), 0.0, values - rival)


def signed_log(values: Reals) -> Reals:
    """The logarithm of 1 plus the absolute value, with the sign of the value."""
    logs: Reals = np.sign(values) * np.log1p(np.abs(values))
    return logs
