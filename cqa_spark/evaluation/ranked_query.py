"""The input of measures: one query's judged candidates, as ranked by a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Candidate(NamedTuple):
    """A judged candidate.

    Attributes:
        relevant: whether the task counts it as a hit.
        gain: graded relevance or similarity, 0 is none.
        predicted: whether the system predicts that it is relevant.
        score: the system's score; 0 if it is not ranked.
    """

    relevant: bool
    gain: float
    predicted: bool = False
    score: float = 0.0


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

    def hits(self, cutoff: int) -> list[bool]:
        """Whether there is a hit at rank 1, 2, ... up to the cutoff; shorter if fewer candidates are ranked."""
        return [candidate.relevant for candidate in self.ranked[:cutoff]]
