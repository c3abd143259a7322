"""MRR@k and RR@k: mean reciprocal rank; AnsRR@k: over answerable queries."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, RatioMeasure, parameter


@dataclass(frozen=True)
class MeanReciprocalRank(MeanMeasure):
    """Reciprocal of the rank of the first hit; 0 if there is none within the cutoff.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> MeanReciprocalRank().value(RankedQuery([miss, hit, hit]))
    0.5
    """

    name = "MRR"
    about = "mean reciprocal rank of the first hit"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report; cutoff of the official scorer"

    cutoff: int | None = parameter(10, "number of ranks to consider; all without it")

    def value(self, query: RankedQuery) -> float:
        """Reciprocal rank of one query."""
        hits = query.hits(self.cutoff)
        return 1 / (hits.index(True) + 1) if any(hits) else 0.0


class ReciprocalRank(MeanReciprocalRank):
    """``MRR@k`` under the name that trec_eval and ir_measures give it."""

    name = "RR"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report; recip_rank of trec_eval"


@dataclass(frozen=True)
class AnswerableReciprocalRank(RatioMeasure):
    """``RR@k`` over the queries that have a relevant candidate.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> measure = AnswerableReciprocalRank()
    >>> measure.total([measure.components(RankedQuery(ranked)) for ranked in ([miss, hit], [miss])])
    0.5
    """

    name = "AnsRR"
    about = "mean reciprocal rank of the first hit over the queries that have a relevant candidate"
    source = "Voorhees 1999, The TREC-8 Question Answering Track Report"
    needs_relevant = True

    cutoff: int | None = parameter(50, "number of ranks to consider; all without it")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The reciprocal rank; whether the query counts."""
        return MeanReciprocalRank(self.cutoff).value(query), float(query.is_answerable)
