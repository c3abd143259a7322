"""AP@k: average precision over all relevant candidates."""

import math
from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, parameter


@dataclass(frozen=True)
class AveragePrecision(MeanMeasure):
    """Sum of the precision at the ranks of hits, divided by all hits, ranked or not; 0 for a query without a hit.

    This is ``map`` of trec_eval. ``MAP@k`` is the variant of SemEval, which divides by the hits within the cutoff.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> AveragePrecision().value(RankedQuery([hit, miss, hit], unranked=[hit, hit]))
    0.41666666666666663
    """

    name = "AP"
    about = "mean average precision, divided by all hits of a query"
    source = "Buckley and Voorhees 2000, Evaluating evaluation measure stability; trec_eval"

    cutoff: int | None = parameter(1000, "number of ranks to consider; all without it")

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query."""
        ranks = [rank for rank, hit in enumerate(query.hits(self.cutoff), start=1) if hit]
        hits = sum(candidate.relevant for candidate in query.judged)
        return math.fsum(found / rank for found, rank in enumerate(ranks, start=1)) / hits if hits else 0.0
