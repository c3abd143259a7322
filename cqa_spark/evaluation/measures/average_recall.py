"""AvgRec@k: average recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from cqa_spark.evaluation.measure import Measure, Sum, parameter, ratio
from cqa_spark.evaluation.ranked_query import RankedQuery


@dataclass(frozen=True)
class AverageRecall(Measure):
    """Mean over the ranks k up to the cutoff of (hits in the top k) / (hits that a perfect ranking has there).

    Hits are summed over all queries before they are divided, so the measure of a set is no mean over its queries.
    """

    name: ClassVar[str] = "AvgRec"
    about: ClassVar[str] = "mean over the ranks of the share of possible hits that are found down to there"
    source: ClassVar[str] = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"

    cutoff: int = parameter(10, "ranks that are looked at")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Hits in the top 1, 2, ... k, then the hits that are possible there."""
        hits = query.hits(self.cutoff)
        found = accumulate(hits + [False] * (self.cutoff - len(hits)))
        relevant = sum(candidate.relevant for candidate in query.judged)
        possible = (min(rank, relevant) for rank in range(1, self.cutoff + 1))
        return (*map(float, found), *map(float, possible))

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """Mean over the ranks of found by possible."""
        found, possible = sums[: self.cutoff], sums[self.cutoff :]
        recalls = [ratio(part, whole) for part, whole in zip(found, possible, strict=True)]
        return sum(recalls[1:], start=recalls[0]) / self.cutoff
