"""R@k: recall over the queries that have a relevant candidate."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import RatioMeasure, parameter
from cqa_spark.evaluation.ranked_query import RankedQuery


@dataclass(frozen=True)
class RecallAtCutoff(RatioMeasure):
    """Share of a query's relevant candidates, including those missed by retrieval, that are ranked within the cutoff.

    Queries without a relevant candidate are excluded.
    """

    name = "R"
    about = "mean recall over the queries that have a relevant candidate"
    source = "Buckley and Voorhees 2000, Evaluating evaluation measure stability; recall of trec_eval"
    needs_relevant = True

    cutoff: int = parameter(50, "number of ranks to consider")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Recall; whether the query counts."""
        relevant = sum(candidate.relevant for candidate in query.judged)
        return (sum(query.hits(self.cutoff)) / relevant, 1.0) if relevant else (0.0, 0.0)
