"""Truncated rankings in official files, those of subtask E, and their measures."""

from dataclasses import dataclass
from pathlib import Path

from cqa_spark.evaluation.judged_rankings import JudgedRanking, ReportedMeasure
from cqa_spark.evaluation.measures.truncated_average_precision import TruncatedMeanAveragePrecision
from cqa_spark.evaluation.official_files import judged_queries, read_official, require_judged
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


def truncated_ranking(gold: Path, prediction: Path) -> JudgedRanking:
    """All queries of a gold file, ranked by a prediction file.

    A candidate that is not in the prediction file, or that follows one with the label false, is cut off; a query that
    is not in it has an empty ranking. The gold file stands for the order that the task gives, of which nothing is cut.

    Raises:
        InputError: a file cannot be parsed, or the prediction has candidates or queries that are not in the gold file.
    """
    judgments, predictions = read_official(gold), read_official(prediction)
    require_judged(gold, prediction, judgments, predictions)
    if set(predictions) <= set(judgments):
        predictions = [row._replace(relevant=True) for row in predictions]
    return JudgedRanking(str(prediction), judged_queries(judgments, predictions))
