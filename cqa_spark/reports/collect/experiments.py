"""The experiments of a run: three tables that are small by nature."""

from __future__ import annotations

from pyspark.sql import Row
from pyspark.sql import functions as F

from cqa_spark.reports.collect.scope import Scope
from cqa_spark.reports.experiments import Ablation, CrossValidation, CurvePoint, in_reading_order

_MEASURED = ("system", "value", "low", "high", "confidence", "difference", "p_value")


def collect_cross_validations(scope: Scope) -> tuple[CrossValidation, ...]:
    """Systems by cross-validation, best first; empty where that was not tried."""
    rows = sorted(_rows(scope, "cross_validations"), key=lambda row: (-row["value"], row["system"]))
    more = ("spread", "best", "queries", "repeats", "folds")
    return tuple(CrossValidation(*map(row.__getitem__, (*_MEASURED, *more))) for row in rows)


def collect_ablations(scope: Scope) -> tuple[Ablation, ...]:
    """Every system without each family of features and on each alone; empty where that was not tried."""
    rows = _rows(scope, "ablations")
    found = [Ablation(*map(row.__getitem__, (*_MEASURED, "variant", "family", "features"))) for row in rows]
    return tuple(
        each
        for system in sorted({one.system for one in found})
        for each in in_reading_order(tuple(one for one in found if one.system == system))
    )


def collect_curves(scope: Scope) -> tuple[CurvePoint, ...]:
    """Every system by the share of the training threads, smallest first; empty where that was not tried."""
    rows = sorted(_rows(scope, "learning_curves"), key=lambda row: (row["system"], row["share"]))
    return tuple(CurvePoint(*map(row.__getitem__, (*_MEASURED, "share", "threads", "examples"))) for row in rows)


def _rows(scope: Scope, table: str) -> list[Row]:
    frame = scope.table(table)
    return [] if frame is None else frame.where(F.col("measure") == scope.main_measure).collect()
