"""The figures of one page, each drawn for a desk and for a phone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from cqa_spark.reports.content.measures import FeatureImportance
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.experiments import Ablation, CurvePoint, systems_of
from cqa_spark.reports.palette import group_role
from cqa_spark.reports.plots import (
    NARROW,
    WIDE,
    plot_ablations,
    plot_cross_validations,
    plot_curve,
    plot_differences,
    plot_importances,
    plot_measure,
    plot_scores,
    plot_steps,
)

FEATURES_SHOWN = 25
"""Bars in a plot of feature importances."""


@dataclass(frozen=True)
class Drawing:
    """One figure; ``wide`` is None where the figure is always small, one of several in a row."""

    narrow: Markup
    wide: Markup | None = None


@dataclass(frozen=True)
class LearnedSystem:
    """A system with feature importances: its features, the most important ones drawn, and the groups they are of."""

    system: str
    features: tuple[FeatureImportance, ...]
    drawing: Drawing
    roles: dict[str, str]


@dataclass(frozen=True)
class Study:
    """What an experiment found for one system, drawn."""

    system: str
    found: tuple[Ablation, ...] | tuple[CurvePoint, ...]
    drawing: Drawing


@dataclass(frozen=True)
class Figures:
    """Every figure of the page; a part without data has none."""

    main_measure: Drawing | None
    other_measures: dict[str, Drawing]
    differences: Drawing | None
    scores: dict[str, Drawing]
    learned: tuple[LearnedSystem, ...]
    cross_validations: Drawing | None
    ablations: tuple[Study, ...]
    curves: tuple[Study, ...]
    steps: Drawing | None


def draw_figures(report: RunReport) -> Figures:
    """Draw what there is data for."""
    evaluation = report.evaluation
    measured = [
        measure for measure in evaluation.measures if any(m.measure == measure for m in evaluation.measurements)
    ]
    main = evaluation.main_measure
    return Figures(
        main_measure=_both(lambda name, width: plot_measure(evaluation, main, name, width), "main")
        if main in measured
        else None,
        other_measures={
            measure: Drawing(plot_measure(evaluation, measure, f"measure{number}", NARROW))
            for number, measure in enumerate(measured)
            if measure != main
        },
        differences=_differences(report),
        scores={
            histogram.system: Drawing(plot_scores(histogram, f"scores{number}", NARROW))
            for number, histogram in enumerate(report.histograms)
        },
        learned=_learned(report),
        cross_validations=_cross_validations(report),
        ablations=tuple(_ablation(report, system, n) for n, system in enumerate(systems_of(report.ablations))),
        curves=tuple(_curve(report, system, n) for n, system in enumerate(systems_of(report.curves))),
        steps=_both(lambda name, width: plot_steps(report.run.steps, name, width), "steps")
        if report.run.steps
        else None,
    )


def _both(draw: Callable[[str, int], Markup], name: str) -> Drawing:
    return Drawing(narrow=draw(f"{name}-narrow", NARROW), wide=draw(f"{name}-wide", WIDE))


def _differences(report: RunReport) -> Drawing | None:
    differences = report.differences
    if differences is None:
        return None
    return _both(lambda name, width: plot_differences(differences, name, width), "differences")


def _cross_validations(report: RunReport) -> Drawing | None:
    found, measure = report.cross_validations, report.evaluation.main_measure
    if not found:
        return None
    return _both(lambda name, width: plot_cross_validations(found, measure, name, width), "cross-validations")


def _ablation(report: RunReport, system: str, number: int) -> Study:
    found = tuple(each for each in report.ablations if each.system == system)
    measure = report.evaluation.main_measure
    return Study(
        system, found, _both(lambda name, width: plot_ablations(found, measure, name, width), f"ablation{number}")
    )


def _curve(report: RunReport, system: str, number: int) -> Study:
    found = tuple(each for each in report.curves if each.system == system)
    measure = report.evaluation.main_measure
    return Study(system, found, _both(lambda name, width: plot_curve(found, measure, name, width), f"curve{number}"))


def _learned(report: RunReport) -> tuple[LearnedSystem, ...]:
    """Learned systems in the order of the page; a group has the same colour in all of them."""
    roles = _group_roles(report.importances)
    known = {item.system for item in report.importances}
    ranked = [system for system in report.evaluation.systems if system in known]
    return tuple(
        _learned_system(system, number, report.importances, roles)
        for number, system in enumerate([*ranked, *sorted(known.difference(ranked))])
    )


def _group_roles(importances: tuple[FeatureImportance, ...]) -> dict[str, str]:
    totals: dict[str, float] = {}
    for item in importances:
        totals[item.group] = totals.get(item.group, 0.0) + item.importance
    ordered = sorted(totals, key=lambda group: (-totals[group], group))
    return {group: group_role(index) for index, group in enumerate(ordered)}


def _learned_system(
    system: str, number: int, importances: tuple[FeatureImportance, ...], roles: dict[str, str]
) -> LearnedSystem:
    features = tuple(item for item in importances if item.system == system)
    shown = features[:FEATURES_SHOWN]
    drawing = _both(lambda name, width: plot_importances(shown, roles, name, width), f"features{number}")
    used = {item.group for item in shown}
    return LearnedSystem(system, features, drawing, {group: role for group, role in roles.items() if group in used})
