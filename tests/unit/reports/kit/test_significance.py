"""Which differences count as significant."""

from __future__ import annotations

import pytest

from cqa_spark.reports.kit.significance import verdict
from cqa_spark.reports.run.systems.content import Comparison


@pytest.mark.parametrize(
    ("difference", "p_value", "outcome"),
    [(0.1, 0.01, "better"), (-0.1, 0.01, "worse"), (0.1, 0.05, "unclear"), (0.0, 0.0, "unclear")],
)
def test_verdicts(difference: float, p_value: float, outcome: str) -> None:
    assert verdict(Comparison("a", "MAP@10", difference, p_value, 1, 1, 1)) == outcome


def test_no_verdict_without_a_test() -> None:
    assert verdict(None) == ""
