"""RBP(p=…)@k: rank-biased precision."""

import math
from dataclasses import dataclass

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, parameter


@dataclass(frozen=True)
class RankBiasedPrecision(MeanMeasure):
    """Expected share of hits that a reader sees who goes on from each rank to the next with probability p.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> RankBiasedPrecision(p=0.5).value(RankedQuery([hit, miss, hit]))
    0.625
    """

    name = "RBP"
    about = "expected share of hits for a reader who goes on to the next rank with probability p"
    source = "Moffat and Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS"

    p: float = parameter(0.8, "probability of going on to the next rank, from 0 to below 1")
    cutoff: int | None = parameter(1000, "number of ranks to consider; all without it")

    def __post_init__(self) -> None:
        if not 0 <= self.p < 1:
            raise ConfigError(
                f"measure {self}: p is not a probability below 1", "write, for instance, RBP(p=0.8): p is 0.5 to 0.95"
            )

    def value(self, query: RankedQuery) -> float:
        """Rank-biased precision of one query."""
        return (1 - self.p) * math.fsum(self.p**rank for rank, hit in enumerate(query.hits(self.cutoff)) if hit)
