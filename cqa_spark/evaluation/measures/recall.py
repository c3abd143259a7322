"""Recall of the predicted labels."""

from dataclasses import dataclass
from typing import ClassVar

from cqa_spark.evaluation.measure import RatioMeasure
from cqa_spark.evaluation.ranked_query import RankedQuery


@dataclass(frozen=True)
class Recall(RatioMeasure):
    """Share of hits that are predicted relevant, over the candidates of all queries; unranked hits count as missed."""

    name: ClassVar[str] = "Recall"
    about: ClassVar[str] = "share of the hits that are predicted relevant"
    source: ClassVar[str] = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"
    uses_labels: ClassVar[bool] = True

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Hits predicted relevant; hits."""
        found = sum(candidate.relevant and candidate.predicted for candidate in query.ranked)
        return float(found), float(sum(candidate.relevant for candidate in query.judged))
