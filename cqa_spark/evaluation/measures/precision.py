"""Precision of the predicted labels."""

from cqa_spark.evaluation.measure import RankedQuery, RatioMeasure


class Precision(RatioMeasure):
    """Share of hits among the candidates that are predicted relevant, over the candidates of all queries.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, missed = Candidate(relevant=True, gain=1, predicted=True), Candidate(relevant=True, gain=1)
    >>> false_alarm = Candidate(relevant=False, gain=0, predicted=True)
    >>> Precision().value(RankedQuery([hit, false_alarm, missed, hit]))
    0.6666666666666666
    """

    name = "Precision"
    about = "share of hits among the candidates that are predicted relevant"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Hits predicted relevant; candidates predicted relevant."""
        called = [candidate.relevant for candidate in query.ranked if candidate.predicted]
        return float(sum(called)), float(len(called))
