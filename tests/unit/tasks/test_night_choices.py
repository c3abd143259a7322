"""Weights of choices on literal nights."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from cqa_spark.tasks.preferred_answer.backtest import choice_weights

NIGHTS = pa.schema(
    [
        *((name, pa.string()) for name in ("site", "query_id")),
        ("cut_at", pa.timestamp("us", "UTC")),
        ("role", pa.string()),
        ("accepted", pa.bool_()),
        ("final_votes", pa.int64()),
    ]
)


def weights(*rows: tuple[str, int, str, bool | None, int]) -> list[float]:
    """Of query, day of the cut, role, whether accepted, and votes."""
    named = [
        dict(zip(NIGHTS.names, ("beer", query, datetime(2020, 5, day, tzinfo=UTC), *rest), strict=True))
        for query, day, *rest in rows
    ]
    return choice_weights(pa.Table.from_pylist(named, schema=NIGHTS)).tolist()


def night(query: str, day: int, role: str, *votes: int, accepted: int | None = None) -> list[tuple]:
    return [
        (query, day, role, None if accepted is None else place == accepted, each) for place, each in enumerate(votes)
    ]


def test_the_measured_nights_of_a_thread_share_its_weight() -> None:
    nights = [
        *night("Q", 2, "undecided", 7, 0, accepted=9),
        *night("Q", 3, "measured", 7, 0, 0, accepted=1),
        *night("Q", 5, "measured", 7, 0, 0, accepted=1),
        *night("Q", 9, "served", 7, 0, 0, accepted=1),
    ]
    assert weights(*nights) == pytest.approx([0.2 / 3, 0, *[0, 0.5, 0] * 2, 0, 0, 0])


def test_the_most_votes_of_an_undecided_night_are_a_weak_label() -> None:
    assert weights(*night("Q", 2, "undecided", 3, 1, 3), *night("Q", 3, "undecided", 3, 1, 3)) == pytest.approx(
        [0.05, 0, 0.05] * 2
    )


def test_votes_that_tell_nothing_are_no_label() -> None:
    assert weights(*night("Q", 2, "undecided", 3, 3)) == [0, 0]
    assert weights(*night("Q", 2, "undecided", 0, -1)) == [0, 0]
    assert weights() == []


def test_nights_of_two_threads_at_one_cut_are_two() -> None:
    found = weights(*night("Q", 2, "undecided", 1, 0), *night("R", 2, "undecided", 0, 5))
    assert found == pytest.approx([0.2, 0, 0, 0.2])
