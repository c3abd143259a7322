"""OracleTMAP: TMAP of rankings that are cut after their last hit."""

from dataclasses import replace

from cqa_spark.evaluation.measure import RankedQuery
from cqa_spark.evaluation.measures.truncated_average_precision import TruncatedMeanAveragePrecision


class OracleTruncation(TruncatedMeanAveragePrecision):
    """TMAP of a system that keeps exactly the candidates up to its last hit; for the retrieval order, the IR oracle.

    It is an upper bound for any threshold on the same order of candidates.
    """

    name = "OracleTMAP"
    about = "TMAP of the rankings, cut after their last hit"
    source = "Nakov et al. 2017, SemEval-2017 Task 3, section 4.5, IR oracle"

    def value(self, query: RankedQuery) -> float:
        """Average precision of one query, perfectly truncated."""
        last = max((rank for rank, each in enumerate(query.ranked, start=1) if each.relevant), default=0)
        cut = [each._replace(predicted=rank <= last) for rank, each in enumerate(query.ranked, start=1)]
        return super().value(replace(query, ranked=cut))
