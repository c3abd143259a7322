"""Sums of queries by group, and intervals over groups."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.bootstrap import GROUPS, Resampling, bootstrap_intervals
from cqa_spark.evaluation.statistics.distributed import (
    BASE,
    GroupSums,
    compare_groups,
    digits,
    from_digits,
    from_parts,
)
from cqa_spark.evaluation.statistics.groups import MeasuredGroup
from cqa_spark.evaluation.statistics.tests import ComparedSystems, randomization_test

MAP, PRECISION = map(parse_measure, ("MAP@10", "Precision"))
MEASURED = MeasuredGroup([MAP, PRECISION], ["a", "b"], 3)

Query = tuple[int, list[float], list[float]]
QUERIES: list[Query] = [  # group; value and components by system, then by measure
    (1, [0.25, 0.5, 0.5, 1.0], [0.25, 1, 2, 0.5, 2, 2]),
    (1, [1e-7, 0.0, 1.0, 1.0], [1e-7, 0, 3, 1.0, 3, 3]),
    (0, [0.125, 1.0, 2000.75, 1 / 7], [0.125, 5, 5, 2000.75, 1, 7]),
]


def added(queries: list[Query], groups: int = 3) -> GroupSums:
    sums = GroupSums(MEASURED, groups)
    if queries:
        sums.add(*map(np.array, zip(*queries, strict=True)))
    return sums


def test_sums_are_by_system_measure_and_component_and_the_last_column_counts_queries() -> None:
    rounded = 0.25 + 429 / 2**32  # 0.25 + 1e-7
    assert from_parts(added(QUERIES).parts).tolist() == [[0.125, 5, 5, 2000.75, 1, 7, 1], [rounded, 1, 5, 1.5, 5, 5, 2]]
    assert added(QUERIES).wins.tolist() == [[[0, 0], [0, 1]], [[3, 2], [0, 0]]]


@given(st.permutations(QUERIES), st.integers(0, len(QUERIES)))
@settings(max_examples=20)
def test_sums_are_the_same_in_every_order_and_partition(queries: list[Query], cut: int) -> None:
    one, other, both = added(queries[:cut]), added(queries[cut:]), added(QUERIES)
    assert (one.parts + other.parts == both.parts).all()
    assert (one.wins + other.wins == both.wins).all()


def grouped(components: dict[object, np.ndarray], groups: int) -> np.ndarray:
    """The sums of queries in random groups, from components of shape (systems, queries, components)."""
    together = np.concatenate(list(components.values()), axis=-1).transpose(1, 0, 2)
    numbers = np.hstack([together.reshape(len(together), -1), np.ones((len(together), 1))])
    sums = np.zeros((groups, numbers.shape[1]))
    np.add.at(sums, np.random.default_rng(4).integers(0, groups, len(numbers)), numbers)
    return sums[sums[:, -1] > 0]


@pytest.fixture(scope="module")
def components() -> dict[object, np.ndarray]:
    draw, queries = np.random.default_rng(2), 5000
    means = draw.beta(1, 2, (2, queries, 1))
    means[1] += draw.normal(0.004, 0.1, (queries, 1))
    counts = np.stack([draw.integers(0, 3, (2, queries)), np.full((2, queries), 3.0)], axis=-1)
    return {MAP: means, PRECISION: counts}


def test_intervals_are_as_wide_as_those_of_the_exact_bootstrap(components) -> None:
    drawn = Resampling(3999)
    exact = bootstrap_intervals(components, resamples=drawn.resamples)
    found = compare_groups(MEASURED, grouped(components, GROUPS), ComparedSystems(("a",)), drawn).set_index(
        ["measure", "system"]
    )
    tests = randomization_test(
        {measure: each[1:] for measure, each in components.items()},
        {measure: each[0] for measure, each in components.items()}, resamples=drawn.resamples,
    )  # fmt: skip
    assert len(found) == len(components) * len(MEASURED.systems) == 4
    for measure, each in components.items():
        for place, system in enumerate(MEASURED.systems):
            row = found.loc[(str(measure), system)]
            assert row["value"] == pytest.approx(measure.total(each[place].tolist()), abs=1e-12)
            assert row["high"] - row["low"] == pytest.approx(
                exact[measure].high[place] - exact[measure].low[place], rel=0.05
            )
        assert row["difference"] == pytest.approx(row["value"] - found.loc[(str(measure), "a"), "value"])
        assert row["difference_low"] < row["difference"] < row["difference_high"]
        assert row["p_value"] == pytest.approx(tests[measure][0], abs=0.03)


def test_intervals_of_many_queries_have_the_width_of_the_normal_approximation() -> None:
    values = np.random.default_rng(6).beta(1, 2, (1, 100_000, 1))
    sums = grouped({MAP: values}, GROUPS)
    row = compare_groups(MeasuredGroup([MAP], ["a"], 100_000), sums, ComparedSystems(("a",)), Resampling(3999)).iloc[0]
    assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * values.std() / np.sqrt(100_000), rel=0.05)


def test_the_baseline_has_no_test(components) -> None:
    found = compare_groups(MEASURED, grouped(components, 50), ComparedSystems(("b",)), Resampling(9)).set_index(
        "system"
    )
    assert found.loc["b", ["baseline", "difference", "difference_low", "p_value"]].isna().all(axis=None)
    assert found.loc["a", "p_value"].notna().all()


def test_digits_of_literal_terms() -> None:
    terms = np.array([2.0, 1.25, -0.25, 0.5 + 2.0**-33])
    assert [each.tolist() for each in digits(terms, 3, np.rint)] == [
        [2, 1, 0, 1],
        [0, BASE // 4, -BASE // 4, -BASE // 2],
        [0, 0, 0, BASE // 2],
    ]
    assert from_digits(digits(terms, 2, np.rint)).tolist() == [2.0, 1.25, -0.25, 0.5]


@given(st.lists(st.floats(2.0**-12, 1e6), min_size=1, max_size=50))
def test_three_digits_sum_exactly(values: list[float]) -> None:
    by_digit = [sum(map(int, each)) for each in digits(np.array(values), 3, np.rint)]
    assert float(from_digits([Fraction(each) for each in by_digit])) == math.fsum(values)
