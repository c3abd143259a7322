"""Collects the results of experiments."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from cqa_spark.reports.experiments.content import (
    Ablation,
    CrossValidation,
    CurvePoint,
    SeedValues,
    Variant,
    in_reading_order,
)
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.scope import Scope

Result = TypeVar("Result", bound=Variant)


def collect_cross_validations(scope: Scope) -> tuple[CrossValidation, ...]:
    """The systems in cross-validation, best first; empty if the run has none."""
    found = _results(scope, "cross_validations", CrossValidation)
    return tuple(sorted(found, key=lambda each: (-each.value, each.system)))


def collect_ablations(scope: Scope) -> tuple[Ablation, ...]:
    """Each system without each feature family and on each alone; empty if the run has none."""
    found = _results(scope, "ablations", Ablation)
    return tuple(
        each
        for system in sorted({one.system for one in found})
        for each in in_reading_order(tuple(one for one in found if one.system == system))
    )


def collect_curves(scope: Scope) -> tuple[CurvePoint, ...]:
    """Each system by share of the training threads, smallest first; empty if the run has none."""
    found = _results(scope, "learning_curves", CurvePoint)
    return tuple(sorted(found, key=lambda each: (each.system, each.share)))


def collect_seeds(scope: Scope) -> tuple[SeedValues, ...]:
    """Each system trained with several seeds; empty if the run has none."""
    found = [entry for entry in scope.entries("seeds") if entry["measure"] == scope.main_measure]
    ordered = sorted(found, key=itemgetter("system", "draw"))
    return tuple(
        SeedValues(system, tuple(entry["value"] for entry in of_system))
        for system, of_system in groupby(ordered, key=itemgetter("system"))
    )


def _results(scope: Scope, table: str, kind: type[Result]) -> list[Result]:
    return [from_entry(kind, entry) for entry in scope.entries(table) if entry["measure"] == scope.main_measure]
