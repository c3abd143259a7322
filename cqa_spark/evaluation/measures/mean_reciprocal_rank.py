"""MRR@k: mean reciprocal rank."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, parameter


@dataclass(frozen=True)
class MeanReciprocalRank(MeanMeasure):
    """Reciprocal of the rank of the first hit; 0 if there is none within the cutoff."""

    name = "MRR"
    about = "mean reciprocal rank of the first hit"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report; cutoff of the official scorer"

    cutoff: int | None = parameter(10, "number of ranks to consider; all without it")

    def value(self, query: RankedQuery) -> float:
        """Reciprocal rank of one query."""
        hits = query.hits(self.cutoff)
        return 1 / (hits.index(True) + 1) if any(hits) else 0.0
