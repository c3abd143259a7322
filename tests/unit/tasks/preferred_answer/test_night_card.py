"""The figures of a card, on literal nights."""

import numpy as np
import pytest

from cqa_spark.evaluation.statistics.nights import Nights
from cqa_spark.systems.system import read_system
from cqa_spark.tasks.preferred_answer.night_card import NO_VOTES, differences_by_site, part_metrics, variants_of

WITHOUT_TIMING = "without answer_timing_asof_v1"


def test_parts_are_the_groups_and_what_votes_give() -> None:
    system = read_system("night_answers")
    assert {name: len(features) for name, features in variants_of(system).items()} == {
        "without answer_standing_asof_v1": 23,
        WITHOUT_TIMING: 24,
        "without answer_markup_asof_v1": 18,
        "without author_record_asof_v1": 25,
        NO_VOTES: 21,
    }
    assert not [feature for feature in variants_of(system)[NO_VOTES] if "votes" in feature or "standing" in feature]


def test_parts_are_compared_with_votes_and_the_one_without_votes_with_the_longest() -> None:
    nights = Nights(
        site=np.array(["s"] * 3, object),
        thread=np.array([1, 1, 2]),
        age=np.array([1, 2, 200]),
        votes=np.zeros(3, dtype=np.int64),
        hits={WITHOUT_TIMING: np.ones(3), NO_VOTES: np.full(3, 0.5), "by_votes": np.zeros(3), "longest": np.ones(3)},
    )
    parts = part_metrics(nights, "t", [WITHOUT_TIMING, NO_VOTES], "by_votes", "longest")
    found = [(reference, row) for reference, entries in parts for row in entries]
    overall = [(reference, row) for reference, row in found if (row["population"], row["band"]) == (None, None)]
    assert [(row["system"], reference, row["value"], row["difference"]) for reference, row in overall] == [
        (WITHOUT_TIMING, "by_votes", 1.0, 1.0),
        (NO_VOTES, "by_votes", 0.5, 0.5),
        (NO_VOTES, "longest", 0.5, -0.5),
    ]
    assert {(row["queries"], row["topics"]) for _, row in overall} == {(3, 2)}
    assert {row["band"] for _, row in found if row["topics"] > 1} == {None, "0-3 votes"}


def test_the_card_has_differences_of_sites_with_two_threads() -> None:
    nights = Nights(
        site=np.array(["s", "s", "s", "t"], object),
        thread=np.array([1, 1, 2, 3]),
        age=np.array([1, 2, 1, 1]),
        votes=np.zeros(4, dtype=np.int64),
        hits={"mine": np.array([1.0, 1.0, 0.0, 1.0]), "oldest": np.array([0.0, 1.0, 0.0, 0.0])},
    )
    (row,) = differences_by_site(nights, "mine", ["oldest"])
    error = row.pop("error")
    assert row == {
        "site": "s", "band": "1-2 days", "order": "oldest", "difference": pytest.approx(1 / 3), "threads": 2,
        "nights": 3,
    }  # fmt: skip
    assert 0 < error < np.inf
