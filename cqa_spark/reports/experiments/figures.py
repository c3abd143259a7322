"""The figures of the section on experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.reports.experiments.content import Ablation, CrossValidation, CurvePoint, systems_of
from cqa_spark.reports.experiments.plots import plot_ablations, plot_cross_validations, plot_curve
from cqa_spark.reports.kit.drawing import Drawing, draw_both


@dataclass(frozen=True)
class SystemFigure:
    """The variants of one system, and their plot."""

    system: str
    found: tuple[Ablation, ...] | tuple[CurvePoint, ...]
    drawing: Drawing


@dataclass(frozen=True)
class ExperimentFigures:
    """All figures of the section; absent or empty without data."""

    cross_validations: Drawing | None
    ablations: tuple[SystemFigure, ...]
    curves: tuple[SystemFigure, ...]

    def __bool__(self) -> bool:
        """Whether there is any figure."""
        return bool(self.cross_validations or self.ablations or self.curves)


def draw_experiments(
    validated: Sequence[CrossValidation],
    ablations: tuple[Ablation, ...],
    curves: tuple[CurvePoint, ...],
    measure: str,
) -> ExperimentFigures:
    """Draw the experiments that have results.

    Args:
        validated: systems in cross-validation, best first.
        ablations: variants of all systems, in reading order.
        curves: points of all systems, smallest share first.
        measure: name of the measure.
    """
    return ExperimentFigures(
        cross_validations=draw_both(
            lambda name, width: plot_cross_validations(validated, measure, name, width), "cross-validations"
        )
        if validated
        else None,
        ablations=tuple(
            _ablation(system, number, ablations, measure) for number, system in enumerate(systems_of(ablations))
        ),
        curves=tuple(_curve(system, number, curves, measure) for number, system in enumerate(systems_of(curves))),
    )


def _ablation(system: str, number: int, ablations: tuple[Ablation, ...], measure: str) -> SystemFigure:
    found = tuple(each for each in ablations if each.system == system)
    return SystemFigure(
        system,
        found,
        draw_both(lambda name, width: plot_ablations(found, measure, name, width), f"ablation{number}"),
    )


def _curve(system: str, number: int, curves: tuple[CurvePoint, ...], measure: str) -> SystemFigure:
    found = tuple(each for each in curves if each.system == system)
    return SystemFigure(
        system, found, draw_both(lambda name, width: plot_curve(found, measure, name, width), f"curve{number}")
    )
