"""MAP@k: mean average precision."""

import math
from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, parameter


@dataclass(frozen=True)
class MeanAveragePrecision(MeanMeasure):
    """Mean over the hits within the cutoff of the precision at their ranks; 0 for a query without such a hit.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> MeanAveragePrecision().value(RankedQuery([hit, miss, hit], unranked=[hit, hit]))
    0.8333333333333333
    """

    name = "MAP"
    about = "mean average precision, divided by the hits of a query within the cutoff"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"

    cutoff: int = parameter(10, "number of ranks to consider")

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query."""
        ranks = [rank for rank, hit in enumerate(query.hits(self.cutoff), start=1) if hit]
        precisions = [hits / rank for hits, rank in enumerate(ranks, start=1)]
        return math.fsum(precisions) / len(precisions) if precisions else 0.0
