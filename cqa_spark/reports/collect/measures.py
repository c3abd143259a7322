"""Measures of systems, their comparison with the baseline, feature importances: tables that are small by nature."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import Row
from pyspark.sql import functions as F

from cqa_spark.reports.collect.scope import Scope
from cqa_spark.reports.content.measures import Comparison, Evaluation, FeatureImportance, Measurement

FEATURES_PER_SYSTEM = 200
"""Features kept for each learned system, the most important ones."""

_GROUP = re.compile(r"(?P<group>.+?_v\d+)[^0-9A-Za-z]+(?P<feature>.+)")


def collect_evaluation(scope: Scope, measures: Sequence[str]) -> Evaluation:
    """The measures of all systems.

    Args:
        scope: the rows to speak of.
        measures: order of the columns; measures that are not named follow alphabetically.
    """
    metrics = _rows(scope, "metrics")
    comparisons = [row for row in _rows(scope, "comparisons") if row.baseline == scope.baseline]
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


def collect_importances(scope: Scope) -> tuple[FeatureImportance, ...]:
    """The most important features of each learned system, system by system, most important first."""
    rows = _rows(scope, "feature_importances")
    ordered = sorted(rows, key=lambda row: (row.system, -row.importance, row.feature))
    found = []
    for system in sorted({row.system for row in ordered}):
        kept = [row for row in ordered if row.system == system][:FEATURES_PER_SYSTEM]
        found += [FeatureImportance(system, *split_feature(row.feature), row.importance, row.direction) for row in kept]
    return tuple(found)


def split_feature(column: str) -> tuple[str, str]:
    """The group and the name of a feature column; a column without a versioned group is its own group."""
    match = _GROUP.fullmatch(column)
    return (match["group"], match["feature"]) if match else ("other", column)


def _rows(scope: Scope, table: str) -> list[Row]:
    frame = scope.table(table)
    return [] if frame is None else frame.collect()


def _best_first(systems: Sequence[str], metrics: Sequence[Row], scope: Scope) -> tuple[str, ...]:
    values = {row.system: row.value for row in metrics if row.measure == scope.main_measure}
    return tuple(sorted(systems, key=lambda system: (-values.get(system, -1.0), system)))


def _in_order(found: set[str], wanted: Sequence[str]) -> tuple[str, ...]:
    named = [measure for measure in dict.fromkeys(wanted) if measure in found]
    return (*named, *sorted(found.difference(named)))
