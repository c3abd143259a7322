"""The figures of the section on features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.reports.kit.drawing import Drawing, draw_both
from cqa_spark.reports.kit.palette import group_role
from cqa_spark.reports.run.features.content import FeatureImportance
from cqa_spark.reports.run.features.plots import plot_importances

FEATURES_SHOWN = 25
"""Largest number of bars in a plot."""


@dataclass(frozen=True)
class LearnedSystem:
    """A system with feature importances.

    Attributes:
        system: name of the system.
        features: all its features, most important first.
        drawing: plot of the most important ones.
        roles: colour role of each group in the plot.
    """

    system: str
    features: tuple[FeatureImportance, ...]
    drawing: Drawing
    roles: dict[str, str]


def draw_importances(importances: tuple[FeatureImportance, ...], systems: Sequence[str]) -> tuple[LearnedSystem, ...]:
    """Draw the learned systems; a group has the same colour in all of them.

    Args:
        importances: features of all systems.
        systems: order of the systems; others follow alphabetically.
    """
    roles = _group_roles(importances)
    known = {item.system for item in importances}
    ranked = [system for system in systems if system in known]
    return tuple(
        _learned_system(system, number, importances, roles)
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
    drawing = draw_both(lambda name, width: plot_importances(shown, roles, name, width), f"features{number}")
    used = {item.group for item in shown}
    return LearnedSystem(system, features, drawing, {group: role for group, role in roles.items() if group in used})
