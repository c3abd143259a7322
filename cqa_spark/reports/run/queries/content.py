"""Single queries with their ranked candidates, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.explanation.content import FeatureContribution

REASONS = 3
"""Largest number of reasons shown for a candidate's score."""


@dataclass(frozen=True)
class RankedCandidate:
    """One candidate as ranked by the best system.

    Attributes:
        candidate_id: id within the site.
        rank: rank of the candidate, from 1.
        initial_rank: rank in the given order; None if unknown.
        score: score of the candidate, on the ranker's own scale.
        predicted: whether the system predicts that it is relevant.
        relevant: whether it is relevant; None if unjudged.
        text: text of the candidate, possibly truncated.
        contributions: the strongest feature contributions; empty if the ranker does not provide them.
    """

    candidate_id: str
    rank: int
    initial_rank: int | None
    score: float
    predicted: bool
    relevant: bool | None
    text: str
    contributions: tuple[FeatureContribution, ...] = ()

    @property
    def reasons(self) -> tuple[FeatureContribution, ...]:
        """The strongest contribution of each feature group, at most three, the strongest first."""
        strongest: dict[str, FeatureContribution] = {}
        for each in self.contributions:
            strongest.setdefault(each.group, each)
        return tuple(strongest.values())[:REASONS]


@dataclass(frozen=True)
class QueryStory:
    """One query with its candidates, in ranked order.

    Attributes:
        kind: best, worst, or sample without measurements.
        site: site of the query.
        query_id: id within the site.
        subject: title; empty if there is none.
        text: text of the query as in the dump, possibly truncated.
        value: main measure of the best system on this query; None if it was not measured.
        baseline_value: main measure of the baseline.
        candidates: top-ranked candidates.
    """

    kind: str
    site: str
    query_id: str
    subject: str
    text: str
    value: float | None
    baseline_value: float | None
    candidates: tuple[RankedCandidate, ...]

    @property
    def given_order(self) -> tuple[RankedCandidate, ...]:
        """The candidates in the order of the forum or search engine; empty unless all of them are shown."""
        ordered = sorted(self.candidates, key=lambda candidate: candidate.initial_rank or 0)
        complete = [candidate.initial_rank for candidate in ordered] == list(range(1, len(ordered) + 1))
        return tuple(ordered) if complete else ()
