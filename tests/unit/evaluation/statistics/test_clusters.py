"""Intervals and tests of means of clusters: coverage by simulation, and literal values."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.statistics.clusters import (
    OF_DIFFERENCES,
    OF_VALUES,
    ClusterSums,
    clustered_mean,
    paired_difference,
    topic_numbers,
)

THREADS = (5, 9, 20, 112)
REPEATS = 1_000


def sampled(draw: np.random.Generator, threads: int, values: list[float], shares: list[float]) -> ClusterSums:
    """A sample of threads, each with one value on its 1 to 4 nights."""
    nights = draw.integers(1, 5, threads).astype(np.float64)
    value = draw.choice(values, threads, p=shares) * nights
    return ClusterSums(
        threads,
        *[float(term.sum()) for term in (value, nights, value * value, value * nights, nights * nights)],
    )


def coverage(threads: int, values: list[float], shares: list[float], bounds: tuple[float, float]) -> float:
    draw, true = np.random.default_rng(20261128), float(np.dot(values, shares))
    estimates = (sampled(draw, threads, values, shares).estimate(bounds) for _ in range(REPEATS))
    return float(np.mean([estimate.low <= true <= estimate.high for estimate in estimates]))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("share", [0.5, 0.88, 0.95, 0.99])
def test_the_interval_of_a_mean_holds_for_few_threads(threads: int, share: float) -> None:
    assert coverage(threads, [0.0, 1.0], [1 - share, share], OF_VALUES) >= 0.93


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize(("lost", "won"), [(0.0, 0.01), (0.01, 0.03), (0.05, 0.05), (0.2, 0.1), (0.1, 0.6)])
def test_the_interval_of_a_difference_holds_for_few_threads(threads: int, lost: float, won: float) -> None:
    assert coverage(threads, [-1.0, 0.0, 1.0], [lost, 1 - lost - won, won], OF_DIFFERENCES) >= 0.93


@pytest.mark.parametrize("threads", THREADS)
def test_equal_systems_are_seldom_found_to_differ(threads: int) -> None:
    draw = np.random.default_rng(1)
    found = [sampled(draw, threads, [-1, 0, 1], [0.1, 0.8, 0.1]).estimate(OF_DIFFERENCES) for _ in range(REPEATS)]
    assert np.mean([estimate.p_value < 0.05 for estimate in found]) <= 0.06


def test_threads_that_agree_have_an_error() -> None:
    """Two lost threads prove nothing; by the sign test, their p-value is 0.5."""
    two, ten = (paired_difference(np.full(number, -1.0), np.arange(number)) for number in (2, 10))
    assert (two.value, two.low, two.high, two.p_value) == (-1.0, -1.0, 1.0, pytest.approx(0.4259, abs=1e-4))
    assert (ten.value, ten.low) == (-1.0, -1.0)
    assert ten.high == pytest.approx(-0.611, abs=1e-3)
    assert ten.p_value == pytest.approx(7.06e-5, abs=1e-7)
    same = clustered_mean(np.ones(9), np.arange(9))
    assert (same.value, same.high) == (1.0, 1.0)
    assert same.low == pytest.approx(0.699, abs=1e-3)


def test_orders_that_never_differ_are_equal_within_an_interval() -> None:
    equal = paired_difference(np.zeros(100), np.arange(100))
    assert (equal.value, equal.p_value) == (0.0, 1.0)
    assert (equal.low, equal.high) == pytest.approx((-0.0197, 0.0197), abs=1e-4)


def test_a_single_thread_says_nothing() -> None:
    alone = paired_difference(np.array([1.0, 1.0]), np.array([7, 7]))
    assert (alone.value, alone.low, alone.high, alone.p_value) == (1.0, -np.inf, np.inf, 1.0)


def test_the_interval_of_many_clusters_is_that_of_a_mean() -> None:
    values = np.tile([0.0, 1.0, 1.0, 0.5], 2_500)
    found = clustered_mean(values, np.arange(10_000))
    wide = 1.9602 * values.std(ddof=1) / 100
    assert (found.low, found.high) == pytest.approx((0.625 - wide, 0.625 + wide), abs=1e-4)


VALUES = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 3)), min_size=2, max_size=20)


@given(VALUES, st.integers(2, 5))
def test_repeating_every_night_of_a_thread_adds_no_certainty(nights: list[tuple[float, int]], times: int) -> None:
    values, thread = np.array([value for value, _ in nights]), np.array([thread for _, thread in nights])
    once = paired_difference(values, thread)
    again = paired_difference(np.tile(values, times), np.tile(thread, times))
    assert [again.value, again.error, again.p_value] == pytest.approx([once.value, once.error, once.p_value], abs=1e-6)


@given(VALUES, st.lists(st.floats(0.01, 100), min_size=20, max_size=20))
def test_an_interval_holds_the_mean_and_what_is_possible(nights: list[tuple[float, int]], weights: list[float]) -> None:
    values, thread = np.array([value for value, _ in nights]), np.array([thread for _, thread in nights])
    found = paired_difference(values, thread, np.array(weights[: len(nights)]))
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9
    assert 0 <= found.p_value <= 1
    if found.clusters > 1:
        assert -1 <= found.low < found.high <= 1


def test_threads_of_one_original_question_are_one_topic() -> None:
    queries = pa.array(["Q268_R4", "Q268_R17", "Q269_R4", "Q268", "42", "X1_R2"])
    assert topic_numbers(queries).tolist() == [0, 0, 1, 0, 2, 3]
