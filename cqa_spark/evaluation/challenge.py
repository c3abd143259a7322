"""The paired test of a retrained model against the one that ranks: P@1 on the same queries, with errors by thread."""

from typing import NamedTuple

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.clustered import OF_DIFFERENCES, ClusterSums, cluster_sums
from cqa_spark.lake.schemas.examples import QUERY

_THREAD = ("site", "fold_key")


class ChallengeResult(NamedTuple):
    """The difference of P@1, challenger minus champion, as a fraction.

    ``low`` and ``high`` bound its 95 % interval, which is infinite for a single thread; ``p_value`` is two-sided.
    """

    difference: float
    low: float
    high: float
    p_value: float
    queries: int
    threads: int

    @property
    def is_won(self) -> bool:
        """Whether the challenger is not worse; without any query, nothing says so."""
        return self.queries > 0 and self.difference >= 0


def challenge(champion: DataFrame, challenger: DataFrame) -> ChallengeResult:
    """Compare two models on the same labelled candidates; sums are computed where the rows are.

    Args:
        champion: candidates with ``score``, none of which the model learned from.
        challenger: the same candidates, likewise.
    """
    key = (*QUERY, "candidate_id")
    other = challenger.select(*key, F.col("score").alias("other"))
    both = champion.join(other, on=list(key)).groupBy(*QUERY, "fold_key")
    hits = both.agg(*[_hit(name).alias(name) for name in ("score", "other")])
    gain = F.col("other") - F.col("score")
    of_threads = hits.groupBy(*_THREAD).agg(F.sum(gain).alias("gain"), F.count(F.lit(1)).alias("queries"))
    (totals,) = of_threads.select(cluster_sums("gain", "queries").alias("sums")).collect()
    sums = ClusterSums(*totals["sums"])
    if not sums.clusters:
        return ChallengeResult(0.0, -np.inf, np.inf, 1.0, 0, 0)
    found = sums.estimate(OF_DIFFERENCES)
    return ChallengeResult(found.value, found.low, found.high, found.p_value, int(found.queries), found.clusters)


def _hit(score: str) -> F.Column:
    """P@1 of a query: the share of relevant candidates among those with the highest score."""
    ordered = F.struct(F.col(score).alias("score"), F.col("relevant").cast("int").alias("relevant"))
    rows = F.collect_list(ordered)
    first = F.filter(rows, lambda row: row["score"] == F.array_max(F.transform(rows, lambda each: each["score"])))
    hits = F.aggregate(first, F.lit(0), lambda total, row: total + row["relevant"])
    return hits / F.size(first)
