"""F1 of the predicted labels."""

from cqa_spark.evaluation.measure import RankedQuery, RatioMeasure


class F1(RatioMeasure):
    """Harmonic mean of precision and recall, over the candidates of all queries.

    It equals 2 (hits predicted relevant) / (predicted relevant + hits), whose counts add up over queries.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, missed = Candidate(relevant=True, gain=1, predicted=True), Candidate(relevant=True, gain=1)
    >>> false_alarm = Candidate(relevant=False, gain=0, predicted=True)
    >>> F1().value(RankedQuery([hit, false_alarm, missed], unranked=[hit, hit]))
    0.3333333333333333
    """

    name = "F1"
    about = "harmonic mean of precision and recall of the predicted labels"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Twice the hits predicted relevant; candidates predicted relevant plus hits."""
        found = sum(candidate.relevant and candidate.predicted for candidate in query.ranked)
        called = sum(candidate.predicted for candidate in query.ranked)
        hits = sum(candidate.relevant for candidate in query.judged)
        return float(2 * found), float(called + hits)
