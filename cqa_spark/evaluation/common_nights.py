"""Orders on the replayed nights that several runs have measured: P@1 in each run, with paired tests by thread.

Tables of nights grow with the corpus: Spark adds up, and errors follow from the sums.
"""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.evaluation.clustered import OF_DIFFERENCES, ClusterSums, cluster_sums
from cqa_spark.evaluation.significance import holm

_NIGHT = ("order", "site", "thread_id", "query_id")


class NightTest(NamedTuple):
    """The paired test of a run against the first run, on the nights that all runs have measured.

    Attributes:
        difference: mean of P@1 over nights, the run minus the first run.
        low: lower bound of its 95 % interval, with errors by thread.
        high: upper bound.
        p_value: two-sided, of no difference, adjusted by Holm for the number of runs.
        wins: nights on which the run is better.
        losses: nights on which the first run is better.
    """

    difference: float
    low: float
    high: float
    p_value: float
    wins: int
    losses: int


class CommonNights(NamedTuple):
    """An order on the nights that all runs have measured.

    Attributes:
        order: name of the system or simple order.
        nights: number of these nights.
        threads: number of their threads.
        values: P@1 over these nights, by run.
        tests: of the second and each later run against the first.
    """

    order: str
    nights: int
    threads: int
    values: tuple[float, ...]
    tests: tuple[NightTest, ...]


def compare_nights(nights: Sequence[DataFrame]) -> list[CommonNights]:
    """Compare each order with itself in several runs, on the nights that all of them have measured.

    Args:
        nights: rows of ``MEASURED_NIGHTS`` of two or more runs.

    Returns:
        Those orders that have common nights, by name.
    """
    runs = range(len(nights))
    measured = (
        frame.select(*_NIGHT[1:], F.explode("hits").alias("order", f"hit{run}")) for run, frame in enumerate(nights)
    )
    common: DataFrame = reduce(lambda left, right: left.join(right, on=[*_NIGHT]), measured)
    by_thread = common.groupBy(*_NIGHT[:3]).agg(
        F.count(F.lit(1)).alias("nights"),
        *(F.sum(f"hit{run}").alias(f"hits{run}") for run in runs),
        *(F.count_if(F.expr(f"hit{run} > hit0")).alias(f"wins{run}") for run in runs[1:]),
        *(F.count_if(F.expr(f"hit{run} < hit0")).alias(f"losses{run}") for run in runs[1:]),
    )
    totals = by_thread.groupBy("order").agg(
        F.count(F.lit(1)).alias("threads"),
        *(F.sum(name).alias(name) for name in ("nights", *(f"hits{run}" for run in runs))),
        *(cluster_sums(f"hits{run} - hits0", "nights").alias(f"gain{run}") for run in runs[1:]),
        *(F.sum(f"{name}{run}").alias(f"{name}{run}") for run in runs[1:] for name in ("wins", "losses")),
    )
    return [_compared(row, runs) for row in totals.orderBy("order").collect()]


def _compared(row: Row, runs: Sequence[int]) -> CommonNights:
    gains = [ClusterSums(*row[f"gain{run}"]).estimate(OF_DIFFERENCES) for run in runs[1:]]
    p_values = holm(np.array([gain.p_value for gain in gains])).tolist()
    tests = [
        NightTest(gain.value, gain.low, gain.high, p_value, row[f"wins{run}"], row[f"losses{run}"])
        for run, gain, p_value in zip(runs[1:], gains, p_values, strict=True)
    ]
    values = tuple(row[f"hits{run}"] / row["nights"] for run in runs)
    return CommonNights(row["order"], row["nights"], row["threads"], values, tuple(tests))
