from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.poisson_bootstrap import PoissonSums, fractions, from_digits, poisson_counts, shift_test


def hashes(queries: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(-(2**63), 2**63, queries)


def test_counts_have_mean_and_variance_one_and_do_not_correlate() -> None:
    counts = poisson_counts(hashes(4000), 0, 500, seed=7)
    assert counts.shape == (500, 4000)
    assert (counts.mean(), counts.var()) == pytest.approx((1, 1), abs=0.005)
    assert np.corrcoef(counts[:8])[np.triu_indices(8, 1)] == pytest.approx(0, abs=0.08)
    assert np.corrcoef(counts.T[:8])[np.triu_indices(8, 1)] == pytest.approx(0, abs=0.2)


def test_counts_depend_on_the_hash_the_resample_and_the_seed_alone() -> None:
    some = hashes(50)
    counts = poisson_counts(some, 0, 40, seed=7)
    assert (poisson_counts(some[::-1], 8, 31, seed=7) == counts[8:31, ::-1]).all()
    assert (poisson_counts(some, 0, 40, seed=8) != counts).any()


@given(st.permutations(range(6)), st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_sums_are_the_same_in_every_order_and_partition(order: list[int], cut: int) -> None:
    values = np.random.default_rng(1).random((6, 3)) * [1, 1e-7, 1000]
    together, first, second = (PoissonSums(9, 3, seed=1) for _ in range(3))
    together.add(hashes(6), values)
    for part, sums in ((order[:cut], first), (order[cut:], second)):
        sums.add(hashes(6)[part], values[part])
    for whole, one, other in zip(together.blocks(), first.blocks(), second.blocks(), strict=True):
        assert (whole == one + other).all()
    assert from_digits(together.blocks()[0])[:3] == pytest.approx(values.sum(axis=0), rel=1e-9)
    assert from_digits(together.blocks()[0])[3] == 6


def test_intervals_are_as_wide_as_those_of_the_exact_bootstrap() -> None:
    draw, queries = np.random.default_rng(2), 5000
    precision, ratio = parse_measure("MAP@10"), parse_measure("Precision")
    means = draw.beta(1, 2, (2, queries, 1))
    counts = np.stack([draw.integers(0, 3, (2, queries)), np.full((2, queries), 3.0)], axis=-1)
    exact = bootstrap_intervals({precision: means, ratio: counts}, resamples=3999)
    sums = PoissonSums(3999, 6, seed=42)
    sums.add(hashes(queries), np.hstack([each.transpose(1, 0, 2).reshape(queries, -1) for each in (means, counts)]))
    shapes = {precision: np.empty((2, 1)), ratio: np.empty((2, 2))}
    resampled = fractions(shapes, np.concatenate(sums.blocks()[1:]))
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    for place, measure in enumerate((precision, ratio)):
        width = exact[measure].high - exact[measure].low
        assert high[place] - low[place] == pytest.approx(width, rel=0.05)


def test_the_shift_test_counts_resamples_that_are_as_far_from_the_difference_as_it_is_from_zero() -> None:
    resampled = np.array([[0.1], [0.25], [0.3], [0.55]])
    assert shift_test(np.array([0.2]), resampled).tolist() == [(1 + 1) / 5]
    assert shift_test(np.array([0.0]), resampled).tolist() == [1.0]
