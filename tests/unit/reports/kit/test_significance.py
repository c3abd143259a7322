"""Which differences count as significant."""

import pytest

from cqa_spark.reports.evaluation import Comparison
from cqa_spark.reports.kit.wording import verdict


@pytest.mark.parametrize(
    ("difference", "p_value", "outcome"),
    [(0.1, 0.01, "better"), (-0.1, 0.01, "worse"), (0.1, 0.05, "unclear"), (0.0, 0.0, "unclear")],
)
def test_verdicts(difference: float, p_value: float, outcome: str) -> None:
    assert verdict(Comparison("a", "MAP@10", difference, p_value, 1, 1, 1)) == outcome


def test_no_verdict_without_a_test() -> None:
    assert verdict(None) == ""
