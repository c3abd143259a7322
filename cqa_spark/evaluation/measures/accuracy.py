"""Accuracy of the predicted labels."""

from cqa_spark.evaluation.measure import RankedQuery, RatioMeasure


class Accuracy(RatioMeasure):
    """Share of judged candidates whose predicted label is correct; unranked candidates count as incorrect.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, missed = Candidate(relevant=True, gain=1, predicted=True), Candidate(relevant=True, gain=1)
    >>> false_alarm = Candidate(relevant=False, gain=0, predicted=True)
    >>> Accuracy().value(RankedQuery([hit, false_alarm, missed, hit]))
    0.5
    """

    name = "Accuracy"
    about = "share of candidates with a correct predicted label"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Correctly labelled candidates; judged candidates."""
        right = sum(candidate.relevant == candidate.predicted for candidate in query.ranked)
        return float(right), float(len(query.judged))
