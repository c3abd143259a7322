"""AvgRec@k: average recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from cqa_spark.evaluation.measure import Measure, RankedQuery, Sum, parameter, ratio


@dataclass(frozen=True)
class AverageRecall(Measure):
    """Mean over the ranks k up to the cutoff of (hits in the top k) / (hits in the top k of a perfect ranking).

    Hits are summed over all queries before the division, so the measure of a set is not a mean over its queries.

    >>> from cqa_spark.evaluation.measure import Candidate
    >>> hit, miss = Candidate(relevant=True, gain=1), Candidate(relevant=False, gain=0)
    >>> AverageRecall(2).value(RankedQuery([miss, hit], unranked=[hit]))
    0.25
    """

    name = "AvgRec"
    about = "mean over the ranks of the hits found up to a rank, as a share of the possible ones"
    source = "Nakov et al. 2016, SemEval-2016 Task 3, official scorer"

    cutoff: int = parameter(10, "number of ranks to consider")

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """Hits in the top 1, 2, ... k, followed by the possible hits there."""
        hits = query.hits(self.cutoff)
        found = accumulate(hits + [False] * (self.cutoff - len(hits)))
        relevant = sum(candidate.relevant for candidate in query.judged)
        possible = (min(rank, relevant) for rank in range(1, self.cutoff + 1))
        return (*map(float, found), *map(float, possible))

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """Mean over the ranks of found hits divided by possible hits."""
        found, possible = sums[: self.cutoff], sums[self.cutoff :]
        recalls = [ratio(part, whole) for part, whole in zip(found, possible, strict=True)]
        return sum(recalls[1:], start=recalls[0]) / self.cutoff
