"""Single queries with their candidates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Push:
    """What one feature did to a candidate's score.

    Attributes:
        feature: the feature's column, after its group.
        value: its value.
        by: how far it moved the score, up or down, on the ranker's own scale (log odds for classifiers).
        is_time: whether the value is a moment, in seconds since 1970.
    """

    feature: str
    value: float
    by: float
    is_time: bool = False


@dataclass(frozen=True)
class RankedCandidate:
    """One candidate as the best system ranked it; ``relevant`` is None where no label is known.

    ``pushes`` are the features that moved its score most; empty where the ranker does not say.
    """

    candidate_id: str
    rank: int
    initial_rank: int | None
    score: float
    predicted: bool
    relevant: bool | None
    text: str
    pushes: tuple[Push, ...] = ()


@dataclass(frozen=True)
class QueryStory:
    """One query with its candidates, in ranked order.

    Attributes:
        kind: best, worst, or sample where nothing was measured.
        site: community of the query.
        query_id: id within the site.
        subject: title; empty where there is none.
        text: text of the query, as in the dump, possibly shortened.
        value: main measure of the best system on this query; None where it was not measured.
        baseline_value: the same of the baseline.
        candidates: the first candidates of the ranking.
    """

    kind: str
    site: str
    query_id: str
    subject: str
    text: str
    value: float | None
    baseline_value: float | None
    candidates: tuple[RankedCandidate, ...]
