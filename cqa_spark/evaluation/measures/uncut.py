"""UncutTMAP: TMAP of whole rankings."""

from dataclasses import replace

from cqa_spark.evaluation.measure import RankedQuery
from cqa_spark.evaluation.measures.truncated_average_precision import TruncatedMeanAveragePrecision


class Uncut(TruncatedMeanAveragePrecision):
    """TMAP of a system that keeps all candidates in its order: a system that decides where to cut should exceed it."""

    name = "UncutTMAP"
    about = "TMAP of the rankings, if no candidate were cut"

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query, with its terminal document after the last candidate."""
        return super().value(replace(query, ranked=[each._replace(predicted=True) for each in query.ranked]))
