"""Correlations with graded similarities, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SetCorrelation:
    """The correlation of one system on one set, or the mean over the sets; see ``SetScore``."""

    system: str
    set_name: str
    value: float
    low: float
    high: float
    queries: int
    difference: float
    p_value: float


@dataclass(frozen=True)
class PublishedScore:
    """A published correlation.

    Attributes:
        set_name: name of our set.
        system: published system.
        value: its correlation, a fraction.
        source: publication and table.
    """

    set_name: str
    system: str
    value: float
    source: str


@dataclass(frozen=True)
class Points:
    """Pairs of one set: gold similarities, and scores on the scale of the gold."""

    set_name: str
    gold: tuple[float, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class WorstPair:
    """A pair whose score differs most from its gold similarity.

    Attributes:
        set_name: set of the pair.
        gold: gold similarity, 0 to 5.
        score: score on the scale of the gold.
        one: first sentence.
        other: second sentence.
    """

    set_name: str
    gold: float
    score: float
    one: str
    other: str


@dataclass(frozen=True)
class Similarity:
    """Everything about one split.

    Attributes:
        systems: in the order of their mean, best first.
        sets: names of the sets and, after them, of the means.
        correlations: of every system on every set.
        published: published results on the sets.
        points: pairs of the best system, by set; a sample of large sets.
        worst: the pairs of the best system that differ most.
    """

    systems: tuple[str, ...]
    sets: tuple[str, ...]
    correlations: tuple[SetCorrelation, ...]
    published: tuple[PublishedScore, ...]
    points: tuple[Points, ...]
    worst: tuple[WorstPair, ...]

    def correlation(self, system: str, set_name: str) -> SetCorrelation:
        """The correlation of a system on a set."""
        return next(each for each in self.correlations if (each.system, each.set_name) == (system, set_name))

    def published_on(self, set_name: str) -> PublishedScore | None:
        """The published result on a set."""
        return next((each for each in self.published if each.set_name == set_name), None)
