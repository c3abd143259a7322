"""nDCG@k: normalised discounted cumulative gain."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from cqa_spark.evaluation.measure import MeanMeasure, RankedQuery, parameter


@dataclass(frozen=True)
class NormalisedDiscountedCumulativeGain(MeanMeasure):
    """Graded gain, discounted by log2(rank + 1), divided by that of the ideal ranking.

    The gain is the label itself (linear), as in Järvelin and Kekäläinen 2002, trec_eval and scikit-learn; the variant
    with 2^label - 1 (Burges et al. 2005) gives different values. A query without gain counts 0.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> good, fair = Candidate(relevant=True, gain=2), Candidate(relevant=True, gain=1)
    >>> round(NormalisedDiscountedCumulativeGain().value(RankedQuery([fair, good])), 4)
    0.8597
    """

    name = "nDCG"
    about = "graded gain, discounted by the logarithm of the rank, divided by that of the ideal ranking"
    source = "Järvelin and Kekäläinen 2002, TOIS 20(4); linear gain, discount log2(rank + 1)"

    cutoff: int | None = parameter(10, "number of ranks to consider; all without it")

    def value(self, query: RankedQuery) -> float:
        """Discounted gain of one query's ranking, divided by that of its ideal ranking."""
        ideal = sorted((candidate.gain for candidate in query.judged), reverse=True)
        best = _discounted(ideal[: self.cutoff])
        found = _discounted(candidate.gain for candidate in query.ranked[: self.cutoff])
        return found / best if best else 0.0


def _discounted(gains: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
