"""RR@k: reciprocal rank over the queries that have a relevant candidate."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import RatioMeasure, parameter
from cqa_spark.evaluation.ranked_query import RankedQuery


@dataclass(frozen=True)
class ReciprocalRank(RatioMeasure):
    """Reciprocal of the rank of the first hit; 0 if none is ranked within the cutoff.

    Queries without a relevant candidate are excluded, in contrast to ``MRR@k``.
    """

    name = "RR"
    about = "mean reciprocal rank over the queries that have a relevant candidate"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report; queries as in trec_eval"
    needs_relevant = True

    cutoff: int = parameter(50, "number of ranks to consider")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The reciprocal rank; whether the query counts."""
        hits = query.hits(self.cutoff)
        counts = any(candidate.relevant for candidate in query.judged)
        return 1 / (hits.index(True) + 1) if any(hits) else 0.0, float(counts)
