"""Score histograms, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreHistogram:
    """Number of candidates in equal-width bins between the lowest and the highest score of a system."""

    system: str
    low: float
    high: float
    relevant: tuple[int, ...]
    not_relevant: tuple[int, ...]
    unjudged: tuple[int, ...]
