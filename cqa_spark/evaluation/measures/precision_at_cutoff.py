"""P@k: precision at a rank."""

from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, parameter


@dataclass(frozen=True)
class PrecisionAtCutoff(MeanMeasure):
    """Share of hits among the first ranks; empty ranks count as misses.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> PrecisionAtCutoff(5).value(RankedQuery([hit, miss, hit]))
    0.4
    """

    name = "P"
    about = "share of hits among the first ranks, mean over queries"
    source = "Manning, Raghavan and Schütze 2008, Introduction to Information Retrieval, section 8.4"

    cutoff: int = parameter(1, "number of ranks to consider")

    def value(self, query: RankedQuery) -> float:
        """Precision of one query's first ranks."""
        return sum(query.hits(self.cutoff)) / self.cutoff
