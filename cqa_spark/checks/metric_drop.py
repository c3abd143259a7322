"""Whether the ranking got worse beyond chance."""

from __future__ import annotations

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.checks.check import Candidate, Verdict, nothing_to_compare
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.schemas.metrics import METRICS

VALIDATION = "dev"


def metric_drop(candidate: Candidate, limits: CheckSettings) -> Verdict:
    """How far the measure lies below the lower end of its interval of the last run, on the validation set."""
    pair = candidate.both(METRICS)
    last, now = (_measured(frame, candidate) for frame in pair) if pair is not None else (None, None)
    if last is None or now is None:
        return nothing_to_compare("metric drop", limits.max_metric_drop)
    drop = last["low"] - now["value"]
    reason = f"{candidate.measure}: {last['value']:.4f} [{last['low']:.4f}, {last['high']:.4f}], now {now['value']:.4f}"
    return Verdict("metric drop", drop <= limits.max_metric_drop, max(0.0, drop), limits.max_metric_drop, reason)


def _measured(metrics: DataFrame, candidate: Candidate) -> Row | None:
    wanted = (F.col("system") == candidate.system) & (F.col("measure") == candidate.measure)
    return metrics.where(wanted & (F.col("split") == VALIDATION)).first()
