"""Collects the measures of systems and their comparison with the baseline."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Row
from pyspark.sql import functions as F

from cqa_spark.reports.run.systems.content import Comparison, Evaluation, Measurement
from cqa_spark.reports.scope import Scope


def collect_evaluation(scope: Scope, measures: Sequence[str]) -> Evaluation:
    """The measures of all systems.

    Args:
        scope: rows to report on.
        measures: order of the columns; other measures follow alphabetically.
    """
    metrics = scope.rows("metrics")
    comparisons = [row for row in scope.rows("comparisons") if row.baseline == scope.baseline]
    systems = [row.system for row in scope.rankings().select("system").distinct().collect()]
    counted = (
        scope.rankings()
        .where(F.col("system") == scope.best_system)
        .agg(F.count_distinct("site", "query_id").alias("queries"), F.count(F.lit(1)).alias("candidates"))
        .first()
    )
    assert counted is not None
    return Evaluation(
        task=scope.task,
        split=scope.split,
        main_measure=scope.main_measure,
        baseline=scope.baseline if scope.baseline in systems else None,
        best_system=scope.best_system,
        systems=_best_first(systems, metrics, scope),
        measures=_in_order({row.measure for row in metrics}, [scope.main_measure, *measures]),
        queries=counted.queries,
        candidates=counted.candidates,
        measurements=tuple(
            Measurement(row.system, row.measure, row.value, row.low, row.high, row.confidence) for row in metrics
        ),
        comparisons=tuple(
            Comparison(row.system, row.measure, row.difference, row.p_value, row.wins, row.losses, row.ties)
            for row in comparisons
        ),
        resamples=max((row.resamples for row in metrics), default=None),
        seed=max((row.seed for row in metrics), default=None),
    )


def _best_first(systems: Sequence[str], metrics: Sequence[Row], scope: Scope) -> tuple[str, ...]:
    values = {row.system: row.value for row in metrics if row.measure == scope.main_measure}
    return tuple(sorted(systems, key=lambda system: (-values.get(system, -1.0), system)))


def _in_order(found: set[str], wanted: Sequence[str]) -> tuple[str, ...]:
    named = [measure for measure in dict.fromkeys(wanted) if measure in found]
    return (*named, *sorted(found.difference(named)))
