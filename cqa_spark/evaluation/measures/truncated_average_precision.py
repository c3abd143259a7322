"""TMAP: mean average precision of truncated rankings; OracleTMAP and UncutTMAP, its values for two fixed cuts."""

import math
from dataclasses import replace
from itertools import accumulate, takewhile

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery


class TruncatedMeanAveragePrecision(MeanMeasure):
    """Mean average precision with a terminal document after the last candidate that a system keeps.

    A system keeps the candidates up to the first one that it predicts not relevant. With R relevant candidates, the
    gain of the terminal document is 1 if R = 0, else the share of the relevant candidates that were kept; it counts as
    an additional relevant document. An empty ranking therefore has the value 1 for a query without a relevant
    candidate, and 0 for any other.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> kept = Candidate(relevant=True, gain=1, predicted=True)
    >>> cut = Candidate(relevant=True, gain=1)
    >>> TruncatedMeanAveragePrecision().value(RankedQuery([kept, cut]))
    0.4583333333333333
    """

    name = "TMAP"
    about = "mean average precision of truncated rankings, where an empty ranking may be correct"
    source = (
        "Nakov et al. 2017, SemEval-2017 Task 3, section 3.2.2; Liu et al. 2016, Quit While Ahead: Evaluating "
        "Truncated Rankings"
    )
    uses_labels = True
    needs_relevant = True

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query, with its terminal document."""
        kept = [candidate.relevant for candidate in takewhile(lambda candidate: candidate.predicted, query.ranked)]
        relevant = sum(candidate.relevant for candidate in query.judged)
        gains = [*map(float, kept), sum(kept) / relevant if relevant else 1.0]
        # The gain at each rank, and the sum of all gains up to it.
        cumulated = zip(gains, accumulate(gains), strict=True)
        return math.fsum(gain * total / rank for rank, (gain, total) in enumerate(cumulated, start=1)) / (relevant + 1)

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The value; whether the query has a relevant candidate."""
        return self.value(query), float(query.is_answerable)


class OracleTruncation(TruncatedMeanAveragePrecision):
    """TMAP of a system that keeps exactly the candidates up to its last hit; for the retrieval order, the IR oracle.

    It is an upper bound for any threshold on the same order of candidates.
    """

    name = "OracleTMAP"
    about = "TMAP of the rankings, cut after their last hit"
    source = "Nakov et al. 2017, SemEval-2017 Task 3, section 4.5, IR oracle"

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query, perfectly truncated."""
        hits = [rank for rank, candidate in enumerate(query.ranked, start=1) if candidate.relevant]
        last = max(hits, default=0)
        cut = [candidate._replace(predicted=rank <= last) for rank, candidate in enumerate(query.ranked, start=1)]
        return super().value(replace(query, ranked=cut))


class Uncut(TruncatedMeanAveragePrecision):
    """TMAP of a system that keeps all candidates in its order: a system that decides where to cut should exceed it."""

    name = "UncutTMAP"
    about = "TMAP of the rankings, if no candidate were cut"

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query, with its terminal document after the last candidate."""
        return super().value(replace(query, ranked=[candidate._replace(predicted=True) for candidate in query.ranked]))
