"""Scores without ties: literal ones, and the rule for any scores."""

from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.files.trec import separated

CODES = {"double": "d", "single": "f"}
scores_with_ties = st.lists(st.floats() | st.floats(width=16) | st.sampled_from([0.0, 1.0, 0.3, 1e38]))


def test_ties_are_lowered_by_the_last_digit() -> None:
    scores = [0.1 + 0.2, 0.3, 0.3, 0.25, 0.0, 0.0]
    assert [*separated(scores, "double")] == [0.1 + 0.2, 0.3, 0.29999999999999993, 0.25, 0.0, -(2.0**-1022)]
    single = [0.1 + 0.2, 0.29999998211860657, 0.2999999523162842, 0.25, 0.0, -(2.0**-126)]
    assert [*separated(scores, "single")] == single


@pytest.mark.parametrize("precision", CODES)
@pytest.mark.parametrize("score", [float("nan"), float("inf"), -1e300])
def test_scores_beyond_single_precision_are_replaced_by_ranks(precision: str, score: float) -> None:
    assert [*separated([2.0, score, score], precision)] == [-1, -2, -3]


@pytest.mark.parametrize("precision", CODES)
@given(scores=scores_with_ties)
def test_scores_decrease_and_keep_their_digits(precision: str, scores: list[float]) -> None:
    scores.sort(reverse=True)
    distinct = [*separated(scores, precision)]
    assert all(first > second for first, second in pairwise(array(CODES[precision], distinct)))
    if all(abs(score) < 1e38 for score in scores) and len(set(array(CODES[precision], scores))) == len(scores):
        assert distinct == scores
