"""Williams' test of two correlations with the same gold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.statistics.tests import williams_test


def test_the_statistic_is_that_of_the_formula() -> None:
    # K = 1 - .36 - .25 - .49 + 2 * .6 * .5 * .7 = .32; t = .1 * sqrt(102 * 1.7 / (.64 * 102 / 100 + .3025 * .027)).
    # t = 1.6197 with 100 degrees of freedom.
    assert williams_test(0.6, 0.5, 0.7, 103) == pytest.approx(0.108447, abs=1e-5)


def test_more_pairs_make_the_same_difference_significant() -> None:
    assert williams_test(0.6, 0.5, 0.7, 1000) < 0.001 < williams_test(0.6, 0.5, 0.7, 50)


def test_equal_correlations_and_few_pairs_show_nothing() -> None:
    assert williams_test(0.5, 0.5, 0.2, 100) == 1.0
    assert williams_test(0.9, 0.1, 0.2, 3) == 1.0


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.integers(1, 10_000))
def test_the_systems_may_be_swapped(first: float, second: float, between: float, pairs: int) -> None:
    found = williams_test(first, second, between, pairs)
    assert 0 <= found <= 1
    assert found == pytest.approx(williams_test(second, first, between, pairs), abs=1e-12)
