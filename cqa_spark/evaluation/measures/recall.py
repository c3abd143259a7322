"""Recall of the predicted labels."""

from cqa_spark.evaluation.measure import RankedQuery, RatioMeasure


class Recall(RatioMeasure):
    """Share of hits that are predicted relevant, over the candidates of all queries; unranked hits count as missed.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, missed = Candidate(relevant=True, gain=1, predicted=True), Candidate(relevant=True, gain=1)
    >>> false_alarm = Candidate(relevant=False, gain=0, predicted=True)
    >>> Recall().value(RankedQuery([hit, false_alarm, missed], unranked=[hit, hit]))
    0.25
    """

    name = "Recall"
    about = "share of the hits that are predicted relevant"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Hits predicted relevant; hits."""
        found = sum(candidate.relevant and candidate.predicted for candidate in query.ranked)
        return float(found), float(sum(candidate.relevant for candidate in query.judged))
