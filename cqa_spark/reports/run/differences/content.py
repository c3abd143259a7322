"""Differences per query, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Differences:
    """The differences between a system and the baseline, query by query.

    Attributes:
        system: name of the system.
        baseline: system that it is compared with.
        measure: measure that is compared.
        steps: (difference, number of queries), largest difference first. Differences are fractions, rounded to 0.001,
            which bounds the number of steps.
    """

    system: str
    baseline: str
    measure: str
    steps: tuple[tuple[float, int], ...]

    @property
    def better(self) -> int:
        """Number of queries on which the system is better."""
        return sum(queries for difference, queries in self.steps if difference > 0)

    @property
    def equal(self) -> int:
        """Number of queries with a difference of 0, rounded to 0.001."""
        return sum(queries for difference, queries in self.steps if difference == 0)

    @property
    def worse(self) -> int:
        """Number of queries on which the baseline is better."""
        return sum(queries for difference, queries in self.steps if difference < 0)
