"""The differences between the best system and the baseline, from the measured queries."""

from __future__ import annotations

from cqa_spark.reports.run.differences.content import Differences
from cqa_spark.reports.run.measured import MeasuredQueries
from cqa_spark.reports.scope import Scope


def differences(scope: Scope, measured: MeasuredQueries | None) -> Differences | None:
    """The main measure of the best system minus that of the baseline, by query; None without a comparison."""
    if measured is None or not measured.steps or scope.baseline is None or scope.baseline == scope.best_system:
        return None
    return Differences(scope.best_system, scope.baseline, scope.main_measure, measured.steps)
