"""F1 of the predicted labels."""

from dataclasses import dataclass
from typing import ClassVar

from cqa_spark.evaluation.measure import RatioMeasure
from cqa_spark.evaluation.ranked_query import RankedQuery


@dataclass(frozen=True)
class F1(RatioMeasure):
    """Harmonic mean of precision and recall, over the candidates of all queries.

    It equals 2 (hits predicted relevant) / (predicted relevant + hits), whose counts add up over queries.
    """

    name: ClassVar[str] = "F1"
    about: ClassVar[str] = "harmonic mean of precision and recall of the predicted labels"
    source: ClassVar[str] = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels: ClassVar[bool] = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Twice the hits predicted relevant; candidates predicted relevant plus hits."""
        found = sum(candidate.relevant and candidate.predicted for candidate in query.ranked)
        called = sum(candidate.predicted for candidate in query.ranked)
        hits = sum(candidate.relevant for candidate in query.judged)
        return float(2 * found), float(called + hits)
