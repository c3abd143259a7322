"""Reasons for a score: the order of the features that moved it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.steps import report as explanations
from cqa_spark.steps.report import strongest_contributions

SYSTEM: Any = SimpleNamespace(feature_groups=())


def reasons(contributions: dict[str, float], values: float) -> tuple[FeatureContribution, ...]:
    names = tuple(contributions)
    model: Any = SimpleNamespace(
        description=SimpleNamespace(features=names),
        contributions=lambda candidates: np.array([list(contributions.values())]),
    )
    candidates: Any = SimpleNamespace(of=lambda features: np.full((1, len(names)), values))
    [found] = strongest_contributions(model, SYSTEM, candidates, {"d": "days"})
    return found


def test_the_largest_contributions_come_first_whatever_their_sign_and_ties_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explanations, "times", lambda groups: {"f"})
    found = reasons(
        {"i": -0.5, "h": 0.0625, "g": 0.125, "f": 1.0, "e": -0.25, "d": 2.0, "c": 0.0, "b": -2.0, "a": 0.5}, 3.0
    )
    assert found == tuple(
        FeatureContribution(name, 3.0, contribution, name == "f", "days" if name == "d" else "")
        for name, contribution in (("b", -2.0), ("d", 2.0), ("f", 1.0), ("a", 0.5), ("i", -0.5), ("e", -0.25))
    )


def test_features_that_contribute_nothing_are_no_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "times", lambda groups: set())
    assert reasons({"a": 0.0, "b": -0.5}, 2.0) == (FeatureContribution("b", 2.0, -0.5, False, ""),)
