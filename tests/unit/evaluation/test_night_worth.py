"""Worth of orders on literal nights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cqa_spark.evaluation.night_worth import (
    AGES,
    ALL,
    NIGHTS,
    SERVED_AGES,
    Nights,
    clustered_mean,
    expected_hits,
    night_worth,
)

STARTS = np.array([0, 2, 5])
ACCEPTED = np.array([True, False, False, False, True, True, False])


def hits(*scores: float) -> list[float]:
    return expected_hits(np.array(scores), ACCEPTED, STARTS).tolist()


def three_nights(**orders: list[float]) -> Nights:
    return Nights(
        site=np.array(["s"] * 3, object),
        thread=np.array([7, 7, 9]),
        age=np.array([1, 4, 200]),
        votes=np.array([0, 3, 12]),
        hits={name: np.array(of_nights) for name, of_nights in orders.items()},
    )


def test_ties_count_by_their_chance() -> None:
    assert hits(*[0.0] * 7) == pytest.approx([1 / 2, 1 / 3, 1 / 2])
    assert hits(2.0, 1.0, 5.0, 0.0, 5.0, 1.0, 3.0) == [1.0, 0.5, 0.0]


def test_the_table_has_each_order_in_each_band_that_has_nights() -> None:
    nights = three_nights(oldest=hits(2.0, 1.0, 3.0, 2.0, 1.0, 2.0, 1.0), votes=hits(1.0, 0.0, 0.0, 0.0, 9.0, 0.0, 1.0))
    table = night_worth(nights, ["oldest", "votes"], "oldest", {1: 1, 300: 3})
    found = {
        (row.order, row.population, row.band): (row.value, row.difference, row.nights, row.threads) for row in table
    }
    assert found["oldest", NIGHTS, ALL] == (pytest.approx(2 / 3), 0.0, 3, 2)
    assert found["votes", NIGHTS, ALL] == (pytest.approx(2 / 3), 0.0, 3, 2)
    assert found["votes", NIGHTS, "4-16 days"] == (1.0, 1.0, 1, 1)
    assert found["votes", NIGHTS, "10 votes or more"] == (0.0, -1.0, 1, 1)
    assert found["oldest", NIGHTS, "0-3 votes"] == (0.5, 0.0, 2, 1)
    # One of four served threads is in the band of the first night, three are older; none is as old as the second.
    assert found["oldest", SERVED_AGES, ALL] == (pytest.approx(0.25 + 0.75), 0.0, 2, 2)
    assert found["votes", SERVED_AGES, ALL] == (pytest.approx(0.25), pytest.approx(-0.75), 2, 2)
    assert {row.band for row in table} == {ALL, "1-2 days", "4-16 days", "older", "0-3 votes", "10 votes or more"}


def test_an_order_is_not_better_than_itself_and_one_thread_proves_nothing() -> None:
    nights = three_nights(zeros=hits(*[0.0] * 7), same=hits(*[1.0] * 7), right=[1.0] * 3)
    table = {(row.order, row.band): row for row in night_worth(nights, nights.hits, "zeros", {1: 1})}
    assert (table["same", ALL].difference, table["same", ALL].p_value) == (0.0, 1.0)
    alone = table["right", "0-3 votes"]
    assert (alone.threads, alone.p_value, alone.low_difference) == (1, 1.0, -np.inf)


def test_without_repeated_clusters_the_error_is_that_of_a_mean() -> None:
    values = np.array([0.0, 1.0, 1.0, 0.5, 0.0])
    mean, error, clusters = clustered_mean(values, np.ones(5), np.arange(5))
    assert (mean, clusters) == (0.5, 5)
    assert error == pytest.approx(stats.sem(values))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), min_size=2), st.integers(2, 5))
def test_repeating_every_night_of_a_thread_adds_no_certainty(nights: list[tuple[float, int]], times: int) -> None:
    values, thread = np.array([value for value, _ in nights]), np.array([thread for _, thread in nights])
    once = clustered_mean(values, np.ones(len(values)), thread)
    again = clustered_mean(np.tile(values, times), np.ones(len(values) * times), np.tile(thread, times))
    assert again == pytest.approx(once, abs=1e-9)


def test_the_bands_of_age_leave_no_gap() -> None:
    bounds = list(AGES.values())
    assert [before for _, before in bounds[:-1]] == [start for start, _ in bounds[1:]]
