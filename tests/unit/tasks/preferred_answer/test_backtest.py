"""The hits of orders on literal nights."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.tasks.preferred_answer.backtest import FEATURES, choice_weights, measured_nights, replayed_nights


def test_a_night_is_a_row_with_the_measure_of_every_order() -> None:
    examples = pa.table(
        {
            "site": ["s"] * 5,
            "task": ["t"] * 5,
            "query_id": ["1@a", "1@a", "1@b", "1@b", "1@b"],
            "thread_id": ["1"] * 5,
            "candidate_id": ["x", "y", "x", "y", "z"],
            "initial_rank": pa.array([1, 2, 1, 2, 3], pa.int32()),
            "accepted": [False, True, False, True, False],
            "age_days": pa.array([1, 1, 2, 2, 2], pa.int32()),
        }
    )
    up, down = np.array([0, 1, 2, 1, 2]), np.array([0, 0, 1, 0, 0])
    candidates = Candidates(examples, FEATURES, np.column_stack([up, down, up - down]).astype(np.float64))
    rows = measured_nights(candidates, {"latest": np.arange(5.0)})
    assert rows.schema == to_arrow_schema(QUERY_METRICS.schema)
    shared = {"site": "s", "task": "t", "split": "nights", "topic": "1", "thread_id": "1"}
    assert rows.to_pylist() == [
        {
            **shared, "query_id": "1@a", "age_days": 1, "votes": 1,
            "measures": measures(latest=1.0, random=0.5, votes=1.0),
        },
        {
            **shared, "query_id": "1@b", "age_days": 2, "votes": 6,
            "measures": measures(latest=0.0, random=1 / 3, votes=0.0),
        },
    ]  # fmt: skip


def measures(**hits: float) -> list[dict[str, object]]:
    return [{"system": name, "measure": "P@1", "value": hit, "components": [hit]} for name, hit in hits.items()]


def test_without_votes_no_night_is_measured() -> None:
    assert measured_nights(Candidates(pa.table({}), (), np.zeros((0, 0))), {}).num_rows == 0


# Weights of choices on literal nights.

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


# Nights of literal threads; no Spark.

SITE = "beer.stackexchange.com"
MOMENT = pa.timestamp("us", "UTC")
ANSWERS = pa.schema(
    [
        *((name, pa.string()) for name in ("site", "query_id", "candidate_id")),
        *((name, MOMENT) for name in ("asked_at", "answered_at", "known_at")),
        ("accepted", pa.bool_()),
        ("ends_at", MOMENT),
    ]
)


def at(day: int, hour: int = 0) -> datetime:
    """An hour of a day of May."""
    return datetime(2020, 5, 1, tzinfo=UTC) + timedelta(days=day - 1, hours=hour)


def answer(query: str, candidate: str, asked, answered, known=None, accepted: bool | None = None) -> tuple:
    return SITE, query, candidate, asked, answered, known, accepted


def table_of(rows: Iterable[tuple], end: int = 31) -> pa.Table:
    named = [dict(zip(ANSWERS.names, (*row, at(end)), strict=True)) for row in rows]
    return pa.Table.from_pylist(named, schema=ANSWERS)


def nights(*rows: tuple, end: int = 31, undecided: bool = True) -> list[tuple[str, int, str, str, int]]:
    """Query, day of the cut in May, role, candidates and age in days."""
    found = replayed_nights(table_of(rows, end), undecided=undecided).to_pylist()
    together: dict[tuple, list[str]] = {}
    for row in found:
        days = (row["cut_at"] - at(1)).days + 1
        key = (row["query_id"], days, row["role"], row["age_days"])
        together.setdefault(key, []).append(row["candidate_id"])
    return [(query, day, role, " ".join(there), age) for (query, day, role, age), there in together.items()]


def test_a_thread_is_looked_at_after_1_2_4_8_days_until_its_acceptance_is_known() -> None:
    asked, known = at(1, 20), at(11)
    rows = [
        answer("Q", "a", asked, at(1, 22), known, accepted=False),
        answer("Q", "b", asked, at(3, 5), known, accepted=True),
        answer("Q", "c", asked, at(6), known, accepted=False),
    ]
    assert nights(*rows) == [
        ("Q", 5, "measured", "a b", 4),  # on days 2 and 3 there was a single answer
        ("Q", 9, "measured", "a b c", 8),
        ("Q", 31, "served", "a b c", 30),
    ]


def test_the_night_before_the_day_of_the_acceptance_is_the_last() -> None:
    rows = [answer("Q", name, at(1), at(1, 1), at(3), accepted=name == "a") for name in "ab"]
    assert nights(*rows)[:-1] == [("Q", 2, "measured", "a b", 1)]
    rows = [answer("Q", name, at(1), at(1, 1), at(3, 1), accepted=name == "a") for name in "ab"]
    assert nights(*rows)[:-1] == [("Q", 2, "measured", "a b", 1), ("Q", 3, "measured", "a b", 2)]


def test_nights_without_the_accepted_answer_and_of_open_questions_are_undecided() -> None:
    rows = [
        answer("Q", "a", at(1), at(1, 1), at(9), accepted=False),
        answer("Q", "b", at(1), at(1, 2), at(9), accepted=False),
        answer("Q", "c", at(1), at(4, 2), at(9), accepted=True),
        answer("R", "d", at(28), at(28, 1)),
        answer("R", "e", at(28), at(28, 2)),
    ]
    assert [(query, day, role) for query, day, role, _, _ in nights(*rows)] == [
        ("Q", 2, "undecided"),
        ("Q", 3, "undecided"),
        ("Q", 5, "measured"),
        ("Q", 31, "served"),
        ("R", 29, "undecided"),
        ("R", 30, "undecided"),
        ("R", 31, "served"),
    ]
    assert [(query, day) for query, day, _, _, _ in nights(*rows, undecided=False)] == [("Q", 5), ("Q", 31), ("R", 31)]


def test_a_thread_with_one_answer_and_answers_without_time_have_no_nights() -> None:
    assert nights(answer("Q", "a", at(1), at(1, 1)), answer("R", "b", at(1), at(1, 1))) == []
    assert nights(answer("Q", "a", at(1), at(1, 1)), answer("Q", "b", at(1), None)) == []
    assert nights(answer("Q", "a", None, at(1, 1)), answer("Q", "b", None, at(1, 1))) == []


def test_a_thread_with_an_acceptance_of_unknown_time_is_served_only() -> None:
    rows = [answer("Q", name, at(1), at(1, 1), None, accepted=name == "a") for name in "ab"]
    assert nights(*rows) == [("Q", 31, "served", "a b", 30)]


@pytest.mark.parametrize("end", [2, 3, 9, 20])
def test_later_rows_of_the_dump_change_no_night_before(end: int) -> None:
    rows = [
        answer("Q", "a", at(1), at(1, 1), at(12), accepted=False),
        answer("Q", "b", at(1), at(2, 2), at(12), accepted=True),
        answer("Q", "c", at(1), at(4, 2), at(12), accepted=False),
    ]
    earlier = [
        (*row[:5], *((row[5], row[6]) if row[5] <= at(end) else (None, None))) for row in rows if row[4] <= at(end)
    ]
    full = [(day, there) for _, day, role, there, _ in nights(*rows) if role != "served" and day <= end]
    assert [(day, there) for _, day, role, there, _ in nights(*earlier, end=end) if role != "served"] == full


@given(st.lists(st.tuples(st.integers(0, 700), st.booleans()), min_size=1, max_size=6), st.integers(0, 700))
def test_no_night_has_an_answer_of_later_and_none_is_after_the_acceptance(hours: list[tuple[int, bool]], known: int):
    asked = at(1, 7)
    rows = [
        answer("Q", str(place), asked, asked + timedelta(hours=hour), at(1, known), accepted=accepted)
        for place, (hour, accepted) in enumerate(hours)
    ]
    for row in replayed_nights(table_of(rows)).to_pylist():
        assert row["answered_at"] <= row["cut_at"] <= at(31)
        assert row["role"] == "served" or row["cut_at"] < row["known_at"]
