"""Pearson's correlation of scores with gold similarities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cqa_spark.evaluation.measure import Measure, RankedQuery, Sum, on_unit_range, ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEGLIGIBLE = 1e-12
"""Share of the mean square below which a variance is a rounding error."""


class Pearson(Measure):
    """Linear correlation over all candidates of all queries, from -1 to 1; 0 if either side is constant.

    Squares of scores that are large for their spread lose all digits, so scores are first converted to median 0 and
    range 1, which leaves the correlation unchanged.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> pairs = [Candidate(relevant=False, gain=gain, score=score) for gain, score in ((0, 0.1), (1, 0.3), (5, 0.9))]
    >>> round(Pearson().value(RankedQuery(pairs)), 4)
    0.9986
    """

    name = "Pearson"
    about = "linear correlation of the scores with the gold similarities"
    source = "Agirre et al. 2012, SemEval-2012 Task 6, official scorer"
    uses_scores = True
    has_query_values = False

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Candidates, and the sums of score, gold, both squares and the product; unranked candidates are excluded."""
        pairs = [(candidate.score, candidate.gain) for candidate in query.ranked]
        return (
            float(len(pairs)),
            sum(score for score, _ in pairs),
            sum(gold for _, gold in pairs),
            sum(score * score for score, _ in pairs),
            sum(gold * gold for _, gold in pairs),
            sum(score * gold for score, gold in pairs),
        )

    def components_of(self, queries: Iterable[RankedQuery]) -> list[tuple[float, ...]]:
        """The components of all queries of one system, after scores and gold were converted."""
        return super().components_of(on_unit_range(list(queries)))

    def on_one_scale(self, components: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores with mean 0 and variance 1; constant scores are unchanged."""
        import numpy as np

        count, score, gold, score_squared, gold_squared, product = np.moveaxis(components, -1, 0)
        candidates, total, squares = (each.sum(axis=-1, keepdims=True) for each in (count, score, score_squared))
        variance = _variance(candidates, total, squares) / candidates**2
        mean = np.where(variance > 0, total / candidates, 0.0)
        deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
        scaled = (
            count,
            (score - mean * count) / deviation,
            gold,
            (score_squared - 2 * mean * score + mean**2 * count) / deviation**2,
            gold_squared,
            (product - mean * gold) / deviation,
        )
        return np.stack(scaled, axis=-1)

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """Covariance divided by the square root of the product of both variances."""
        count, score, gold, score_squared, gold_squared, product = sums
        spread = (_variance(count, score, score_squared) * _variance(count, gold, gold_squared)) ** 0.5
        return ratio(_where(spread > 0, count * product - score * gold), spread)


def _variance(count: Sum, total: Sum, squares: Sum) -> Sum:
    """The variance times the square of the count; exactly 0 for a constant, despite rounding errors."""
    variance = count * squares - total * total
    return _where(variance > NEGLIGIBLE * count * squares, variance)


def _where(condition: Any, value: Sum) -> Sum:
    """The value, or 0 if the condition does not hold."""
    kept: Sum = value * condition
    return kept
