"""How differences and scores are spread."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Differences:
    """How far the best system is from the baseline, query by query.

    Attributes:
        system: the system.
        baseline: the system that it is compared with.
        measure: the measure that is compared.
        steps: (difference, number of queries), largest difference first; differences are fractions, rounded to 0.001,
            so that their number has a bound whatever the number of queries.
    """

    system: str
    baseline: str
    measure: str
    steps: tuple[tuple[float, int], ...]

    @property
    def better(self) -> int:
        """Queries on which the system is better."""
        return sum(queries for difference, queries in self.steps if difference > 0)

    @property
    def equal(self) -> int:
        """Queries on which both are equal, rounded to 0.001."""
        return sum(queries for difference, queries in self.steps if difference == 0)

    @property
    def worse(self) -> int:
        """Queries on which the baseline is better."""
        return sum(queries for difference, queries in self.steps if difference < 0)


@dataclass(frozen=True)
class ScoreHistogram:
    """Number of candidates in equally wide bins between a system's lowest and highest score."""

    system: str
    low: float
    high: float
    relevant: tuple[int, ...]
    not_relevant: tuple[int, ...]
    unjudged: tuple[int, ...]
