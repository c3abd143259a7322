"""TMAP: mean average precision of truncated rankings."""

import math
from itertools import accumulate, takewhile

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery


class TruncatedMeanAveragePrecision(MeanMeasure):
    """Mean average precision with a terminal document after the last candidate that a system keeps.

    A system keeps the candidates up to the first one that it predicts not relevant. With R relevant candidates, the
    gain of the terminal document is 1 if R = 0, else the share of the relevant candidates that were kept; it counts as
    an additional relevant document. An empty ranking therefore has the value 1 for a query without a relevant
    candidate, and 0 for any other.
    """

    name = "TMAP"
    about = "mean average precision of truncated rankings, where an empty ranking may be correct"
    source = (
        "Nakov et al. 2017, SemEval-2017 Task 3, section 3.2.2; Liu et al. 2016, Quit While Ahead: Evaluating "
        "Truncated Rankings"
    )
    uses_labels = True
    needs_relevant = True

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query, with its terminal document."""
        kept = [candidate.relevant for candidate in takewhile(lambda each: each.predicted, query.ranked)]
        relevant = sum(candidate.relevant for candidate in query.judged)
        gains = [*map(float, kept), sum(kept) / relevant if relevant else 1.0]
        found = zip(gains, accumulate(gains), strict=True)
        return math.fsum(gain * total / rank for rank, (gain, total) in enumerate(found, start=1)) / (relevant + 1)

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The value; whether the query has a relevant candidate."""
        return self.value(query), float(query.is_answerable)
