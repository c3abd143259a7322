"""Worth of orders on literal nights."""

from dataclasses import replace

import numpy as np
import pytest

from cqa_spark.evaluation.statistics.clusters import paired_difference
from cqa_spark.evaluation.statistics.nights import (
    AGES,
    LAST_NIGHTS,
    SERVED_AGES,
    Nights,
    expected_hits,
    night_metrics,
    site_differences,
    site_metrics,
)
from cqa_spark.evaluation.statistics.tests import holm
from cqa_spark.lake.journal import Entry

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


def part(row: Entry) -> tuple[str, str | None, str | None]:
    return row["system"], row["population"], row["band"]


def test_ties_count_by_their_chance() -> None:
    assert hits(*[0.0] * 7) == pytest.approx([1 / 2, 1 / 3, 1 / 2])
    assert hits(2.0, 1.0, 5.0, 0.0, 5.0, 1.0, 3.0) == [1.0, 0.5, 0.0]


def test_the_table_has_each_order_in_each_band_that_has_nights() -> None:
    nights = three_nights(oldest=hits(2.0, 1.0, 3.0, 2.0, 1.0, 2.0, 1.0), votes=hits(1.0, 0.0, 0.0, 0.0, 9.0, 0.0, 1.0))
    table = night_metrics(nights, "t", ["oldest", "votes"], "oldest", {1: 1, 300: 3})
    assert {(row["task"], row["split"], row["measure"], row["confidence"]) for row in table} == {
        ("t", "nights", "P@1", 0.95)
    }
    found = {part(row): (row["value"], row["difference"], row["queries"], row["topics"]) for row in table}
    assert found["oldest", None, None] == (pytest.approx(2 / 3), None, 3, 2)
    assert found["votes", None, None] == (pytest.approx(2 / 3), 0.0, 3, 2)
    assert found["votes", None, "4-16 days"] == (1.0, 1.0, 1, 1)
    assert found["votes", None, "10 votes or more"] == (0.0, -1.0, 1, 1)
    assert found["oldest", None, "0-3 votes"] == (0.5, None, 2, 1)
    # One of four served threads is in the band of the first night, three are older; none is as old as the second.
    assert found["oldest", SERVED_AGES, None] == (pytest.approx(0.25 + 0.75), None, 2, 2)
    assert found["votes", SERVED_AGES, None] == (pytest.approx(0.25), pytest.approx(-0.75), 2, 2)
    assert {row["band"] for row in table} == {None, "1-2 days", "4-16 days", "older", "0-3 votes", "10 votes or more"}
    outcomes = {part(row): (row["wins"], row["losses"], row["ties"]) for row in table}
    assert outcomes["votes", None, None] == (1, 1, 1)
    assert outcomes["votes", LAST_NIGHTS, None] == (1, 1, 0)
    assert outcomes["oldest", None, None] == (None, None, None)


def test_an_order_is_not_better_than_itself_and_one_thread_proves_nothing() -> None:
    nights = three_nights(zeros=hits(*[0.0] * 7), same=hits(*[1.0] * 7), right=[1.0] * 3)
    table = {part(row): row for row in night_metrics(nights, "t", nights.hits, "zeros", {1: 1})}
    assert (table["same", None, None]["difference"], table["same", None, None]["p_value"]) == (0.0, 1.0)
    alone = table["right", None, "0-3 votes"]
    assert (alone["topics"], alone["p_value"], alone["difference_low"]) == (1, 1.0, -np.inf)


def test_p_values_are_adjusted_among_orders_and_among_the_parts_of_an_order() -> None:
    draw, threads = np.random.default_rng(3), 60
    reference = (draw.random(threads) < 0.5).astype(np.float64)
    hits = {"reference": reference, **{name: np.where(draw.random(threads) < 0.4, 1.0, reference) for name in "ab"}}
    nights = Nights(
        site=np.array(["s"] * threads, object),
        thread=np.arange(threads),
        age=np.array([1, 4] * 30),
        votes=np.zeros(threads, np.int64),
        hits=hits,
    )
    table = {part(row): row["p_value"] for row in night_metrics(nights, "t", hits, "reference", {})}
    single = {name: paired_difference(hits[name] - reference, nights.thread).p_value for name in "ab"}
    smaller, larger = sorted("ab", key=lambda name: single[name])
    assert table[smaller, None, None] == pytest.approx(2 * single[smaller])
    assert table[larger, None, None] == pytest.approx(max(2 * single[smaller], single[larger]))
    # Parts: two bands of age, one of votes, the last nights.
    young = paired_difference((hits["a"] - reference)[::2], nights.thread[::2]).p_value
    old = paired_difference((hits["a"] - reference)[1::2], nights.thread[1::2]).p_value
    parts = holm(np.array([young, old, single["a"], single["a"]]))
    assert [table["a", None, "1-2 days"], table["a", None, "4-16 days"]] == pytest.approx(parts[:2].tolist())
    assert {value for (order, *_), value in table.items() if order == "reference"} == {None}


def test_differences_by_site_band_and_order() -> None:
    nights = replace(three_nights(mine=[1.0, 1.0, 0.0], simple=[0.0, 1.0, 1.0]), site=np.array(["s", "s", "t"], object))
    found = [*site_differences(nights, "mine", ["simple"])]
    assert [(site, band, order, gain.value, gain.threads, number) for site, band, order, gain, number in found] == [
        ("s", "1-2 days", "simple", 1.0, 1, 1),
        ("s", "4-16 days", "simple", 0.0, 1, 1),
        ("t", "older", "simple", -1.0, 1, 1),
    ]


def test_sites_with_ten_threads_are_measured_alone() -> None:
    mine, simple = np.tile([1.0, 0.0], 15), np.tile([0.0, 0.0], 15)
    nights = Nights(
        site=np.array(["a"] * 20 + ["b"] * 10, object),
        thread=np.concatenate([np.arange(20), np.repeat(np.arange(20, 25), 2)]),
        age=np.ones(30, np.int64),
        votes=np.zeros(30, np.int64),
        hits={"mine": mine, "simple": simple},
    )
    found = [
        (*part(row), row["value"], row["difference"], row["topics"])
        for row in site_metrics(nights, "t", "mine", "simple")
    ]
    assert found == [("mine", "on a", None, 0.5, 0.5, 20), ("simple", "on a", None, 0.0, None, 20)]
    alone = replace(nights, site=np.array(["a"] * 30, object))
    assert site_metrics(alone, "t", "mine", "simple") == []


def test_the_bands_of_age_leave_no_gap() -> None:
    bounds = list(AGES.values())
    assert [before for _, before in bounds[:-1]] == [start for start, _ in bounds[1:]]
