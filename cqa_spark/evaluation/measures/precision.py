"""Precision of the predicted labels."""

from cqa_spark.evaluation.measure import RankedQuery, RatioMeasure


class Precision(RatioMeasure):
    """Share of hits among the candidates that are predicted relevant, over the candidates of all queries."""

    name = "Precision"
    about = "share of hits among the candidates that are predicted relevant"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Hits predicted relevant; candidates predicted relevant."""
        called = [candidate.relevant for candidate in query.ranked if candidate.predicted]
        return float(sum(called)), float(len(called))
