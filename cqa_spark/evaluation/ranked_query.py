"""The input of measures: one query's judged candidates, as ranked by a system."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import NamedTuple


class Candidate(NamedTuple):
    """A candidate.

    Attributes:
        relevant: whether the task counts it as a hit.
        gain: graded relevance or similarity, 0 is none.
        predicted: whether the system predicts that it is relevant.
        score: the system's score; 0 if it is not ranked.
        judged: whether it has a judgment; without one, it is not relevant.
    """

    relevant: bool
    gain: float
    predicted: bool = False
    score: float = 0.0
    judged: bool = True


@dataclass(frozen=True)
class RankedQuery:
    """One query's judged candidates.

    Attributes:
        ranked: the candidates that the system ranked, best first.
        unranked: the judged candidates that it did not rank.
    """

    ranked: Sequence[Candidate]
    unranked: Sequence[Candidate] = ()

    @property
    def judged(self) -> list[Candidate]:
        """Every judged candidate, ranked or not."""
        return [*self.ranked, *self.unranked]

    @property
    def is_answerable(self) -> bool:
        """Whether it has a relevant candidate, ranked or not."""
        return any(candidate.relevant for candidate in self.judged)

    def hits(self, cutoff: int | None) -> list[bool]:
        """Whether there is a hit at rank 1, 2, ... up to the cutoff; shorter if fewer candidates are ranked.

        Without a cutoff, all ranks.
        """
        return [candidate.relevant for candidate in self.ranked[:cutoff]]


def on_unit_range(queries: Sequence[RankedQuery]) -> list[RankedQuery]:
    """The queries with scores and gains that were converted linearly to median 0 and range 1; constant ones are 0.

    Sums of squares then keep their digits for most candidates, however far away a few values are.

    Args:
        queries: all queries of one system.
    """
    ranked = [candidate for query in queries for candidate in query.ranked]
    score, gain = (_unit_range(values) for values in ([each.score for each in ranked], [each.gain for each in ranked]))
    return [
        RankedQuery([each._replace(score=score(each.score), gain=gain(each.gain)) for each in query.ranked])
        for query in queries
    ]


def _unit_range(values: Sequence[float]) -> Callable[[float], float]:
    lowest, middle, highest = (min(values), median_low(values), max(values)) if values else (0.0, 0.0, 0.0)
    # Halves, because the difference of two large numbers can exceed the largest one.
    width = highest / 2 - lowest / 2
    return lambda value: (value / 2 - middle / 2) / width if width else 0.0
