"""Scores of systems, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

FEWEST = 10
"""Number of candidates below which a share or a mean is not shown, because it would mostly be chance."""


@dataclass(frozen=True)
class ScoreHistogram:
    """Number of candidates in equal-width bins between the lowest and the highest score of a system."""

    system: str
    low: float
    high: float
    relevant: tuple[int, ...]
    not_relevant: tuple[int, ...]
    unjudged: tuple[int, ...]

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges of the bins, one more than bins."""
        bins = len(self.relevant)
        span = (self.high - self.low) or 1.0
        return tuple(self.low + span * number / bins for number in range(bins + 1))

    @property
    def centres(self) -> tuple[float, ...]:
        """The centres of the bins."""
        return tuple((low + high) / 2 for low, high in pairwise(self.edges))

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are between 0 and 1."""
        return self.low >= 0 and self.high <= 1

    @property
    def calibration(self) -> tuple[tuple[float, float, int], ...]:
        """Centre, share of relevant candidates and number of judged ones, of the bins with at least ``FEWEST``."""
        judged = zip(self.centres, self.relevant, self.not_relevant, strict=True)
        return tuple(
            (centre, relevant / (relevant + others), relevant + others)
            for centre, relevant, others in judged
            if relevant + others >= FEWEST
        )


@dataclass(frozen=True)
class Confusion:
    """Number of judged candidates of a system, by prediction and relevance."""

    system: str
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int


@dataclass(frozen=True)
class LengthScores:
    """Scores of the candidates whose texts are of about one length.

    Attributes:
        low: characters of the shortest texts, a power of 2.
        relevant: number of relevant candidates.
        relevant_score: their mean score, to the width of a bin of the histogram; None if there are none.
        not_relevant: number of candidates that are not relevant.
        not_relevant_score: their mean score; None if there are none.
    """

    low: int
    relevant: int
    relevant_score: float | None
    not_relevant: int
    not_relevant_score: float | None


def frequent(lengths: Iterable[LengthScores]) -> tuple[LengthScores, ...]:
    """Lengths with the mean scores of at least ``FEWEST`` candidates; other means are None."""
    found = (
        replace(
            each,
            relevant_score=each.relevant_score if each.relevant >= FEWEST else None,
            not_relevant_score=each.not_relevant_score if each.not_relevant >= FEWEST else None,
        )
        for each in lengths
    )
    return tuple(each for each in found if each.relevant_score is not None or each.not_relevant_score is not None)


@dataclass(frozen=True)
class ScoreStudy:
    """How the scores of the best system relate to relevance and to length.

    Attributes:
        histogram: of the best system; its judged candidates give the calibration.
        confusion: None for a system that gives all candidates one label, or without judgments.
        lengths: by length, the shortest first; empty without texts.
    """

    histogram: ScoreHistogram
    confusion: Confusion | None = None
    lengths: tuple[LengthScores, ...] = ()
