"""The measures that the record of a run has: those of its report, the most important system first."""

import math

from cqa_spark.lake.run_log import RecordedScore
from cqa_spark.lake.schemas.metrics import ALL, NIGHTS
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.sections import night_worth


def recorded_scores(run: ReportedRun) -> tuple[RecordedScore, ...]:
    """What the orders of a night are worth on all replayed nights; for other runs, every measure of every system.

    The system that the report presents first has the first scores; its first measure is the main one.
    """
    night = run.once(night_worth.data)
    scores = [
        RecordedScore(each.order, each.measure, each.value, *_bounds(each.low, each.high))
        for each in (night.worth if night is not None else ())
        if (each.population, each.band) == (NIGHTS, ALL)
    ]
    if scores:
        return tuple(sorted(scores, key=lambda score: (score.system != run.best_system, -score.value, score.system)))
    evaluated = run.once(evaluation)
    order = [evaluated.best_system, *evaluated.systems]
    return tuple(
        RecordedScore(measurement.system, measurement.measure, measurement.value, measurement.low, measurement.high)
        for measurement in sorted(
            evaluated.measurements, key=lambda each: (order.index(each.system), evaluated.measures.index(each.measure))
        )
    )


def _bounds(low: float, high: float) -> tuple[float | None, float | None]:
    """An interval; unknown if it is infinite, as that of a single thread."""
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (None, None)
