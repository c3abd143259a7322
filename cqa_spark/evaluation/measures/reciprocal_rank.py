"""RR@k: reciprocal rank; AnsRR@k: over answerable queries."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import RankedQuery, RatioMeasure, parameter
from cqa_spark.evaluation.measures.mean_reciprocal_rank import MeanReciprocalRank


class ReciprocalRank(MeanReciprocalRank):
    """``MRR@k`` under the name that trec_eval and ir_measures give it."""

    name = "RR"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report; recip_rank of trec_eval"


@dataclass(frozen=True)
class AnswerableReciprocalRank(RatioMeasure):
    """``RR@k`` over the queries that have a relevant candidate."""

    name = "AnsRR"
    about = "mean reciprocal rank of the first hit over the queries that have a relevant candidate"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report"
    needs_relevant = True

    cutoff: int | None = parameter(50, "number of ranks to consider; all without it")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The reciprocal rank; whether the query counts."""
        return MeanReciprocalRank(self.cutoff).value(query), float(query.is_answerable)
