"""R@k: recall within the first ranks; AnsR@k: over answerable queries."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, RatioMeasure, parameter


@dataclass(frozen=True)
class RecallAtCutoff(MeanMeasure):
    """Share of a query's relevant candidates, including those missed by retrieval, that are ranked within the cutoff.

    A query without a relevant candidate counts 0.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> RecallAtCutoff(2).value(RankedQuery([hit, miss, hit], unranked=[hit, hit]))
    0.25
    """

    name = "R"
    about = "share of the relevant candidates among the first ranks, mean over queries"
    source = "Buckley and Voorhees 2000, Evaluating evaluation measure stability; recall of trec_eval"

    cutoff: int = parameter(50, "number of ranks to consider")

    def value(self, query: RankedQuery) -> float:
        """Recall of one query's first ranks."""
        relevant = sum(candidate.relevant for candidate in query.judged)
        return sum(query.hits(self.cutoff)) / relevant if relevant else 0.0


@dataclass(frozen=True)
class AnswerableRecall(RatioMeasure):
    """``R@k`` over the queries that have a relevant candidate.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> measure = AnswerableRecall()
    >>> measure.total([measure.components(RankedQuery(ranked)) for ranked in ([miss, hit], [miss])])
    1.0
    """

    name = "AnsR"
    about = "share of the relevant candidates among the first ranks, mean over the queries that have one"
    source = "Buckley and Voorhees 2000, Evaluating evaluation measure stability"
    needs_relevant = True

    cutoff: int = parameter(50, "number of ranks to consider")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Recall; whether the query counts."""
        return RecallAtCutoff(self.cutoff).value(query), float(query.is_answerable)
