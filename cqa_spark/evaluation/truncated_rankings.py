"""The measures of truncated rankings, those of subtask E."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure_records import ReportedMeasure
from cqa_spark.evaluation.measures.truncated_average_precision import TruncatedMeanAveragePrecision
from cqa_spark.evaluation.ranked_query import RankedQuery


@dataclass(frozen=True)
class _EmptyRankings(TruncatedMeanAveragePrecision):
    """TMAP of a system that returns no candidate, for the same queries."""

    name = "empty"
    about = "TMAP of empty rankings"

    def value(self, query: RankedQuery) -> float:
        """1 for a query without a relevant candidate, else 0."""
        return super().value(RankedQuery([], query.judged))


COMPARED_MEASURES = ("TMAP", "OracleTMAP", "UncutTMAP")

TRUNCATED_MEASURES = (
    *(ReportedMeasure(name, name, name) for name in COMPARED_MEASURES),
    ReportedMeasure(_EmptyRankings(), "empty", "empty"),
)
"""TMAP of a file, of its order cut perfectly, of its order not cut, and of empty rankings."""
