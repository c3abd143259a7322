"""Collects the results of experiments; their tables have a row per system and variant."""

from __future__ import annotations

from pyspark.sql import Row

from cqa_spark.reports.experiments.content import Ablation, CrossValidation, CurvePoint, in_reading_order
from cqa_spark.reports.scope import Scope

_MEASURED = ("system", "value", "low", "high", "confidence", "difference", "p_value")


def collect_cross_validations(scope: Scope) -> tuple[CrossValidation, ...]:
    """The systems in cross-validation, best first; empty if the run has none."""
    rows = sorted(_rows(scope, "cross_validations"), key=lambda row: (-row["value"], row["system"]))
    more = ("spread", "best", "queries", "repeats", "folds")
    return tuple(CrossValidation(*map(row.__getitem__, (*_MEASURED, *more))) for row in rows)


def collect_ablations(scope: Scope) -> tuple[Ablation, ...]:
    """Each system without each feature family and on each alone; empty if the run has none."""
    rows = _rows(scope, "ablations")
    found = [Ablation(*map(row.__getitem__, (*_MEASURED, "variant", "family", "features"))) for row in rows]
    return tuple(
        each
        for system in sorted({one.system for one in found})
        for each in in_reading_order(tuple(one for one in found if one.system == system))
    )


def collect_curves(scope: Scope) -> tuple[CurvePoint, ...]:
    """Each system by share of the training threads, smallest first; empty if the run has none."""
    rows = sorted(_rows(scope, "learning_curves"), key=lambda row: (row["system"], row["share"]))
    return tuple(CurvePoint(*map(row.__getitem__, (*_MEASURED, "share", "threads", "examples"))) for row in rows)


def _rows(scope: Scope, table: str) -> list[Row]:
    return [row for row in scope.rows(table) if row["measure"] == scope.main_measure]
