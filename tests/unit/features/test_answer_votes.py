"""Votes for the answer up to the cut, by hand."""

from datetime import UTC, datetime

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.corpora.stackexchange.markup import DOWN, UP
from cqa_spark.features.groups.answer.answer_votes import AnswerVotesAsOfV1


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2020, 3, day, hour, tzinfo=UTC)


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[float | None, ...]]:
    threads = [
        Thread("Q", "U1", [Said("U2", "one", at(2, 12)), Said("U3", "two", at(3, 9)), Said("U4", "late", at(3, 11))]),
        Thread("R", "U1", [Said("U2", "one", at(3, 10))]),
    ]
    votes = [
        ("Q", "Q_C1", UP, at(3), 2), ("Q", "Q_C1", UP, at(3, 10), 1), ("Q", "Q_C1", DOWN, at(3), 1),
        ("Q", "Q_C1", UP, at(4), 7), ("Q", "Q_C2", DOWN, at(3), 3), ("Q", "Q_C2", UP, None, 4),
        ("Q", "Q_C3", UP, at(3), 5), ("R", "R_C1", UP, at(4), 1),
    ]  # fmt: skip
    names = ("query_post_id", "post_id", "vote_type_id", "known_at", "number")
    batch = batch_of(threads, votes=[dict(zip(names, row, strict=True)) for row in votes], cut=at(3, 10))
    return {row["candidate_id"]: tuple(row.values())[2:] for row in values(AnswerVotesAsOfV1(), batch)}


def test_votes_known_by_the_cut_count_also_those_of_that_very_moment(found) -> None:
    assert found["Q_C1"] == (3, 1, 2, 22)


def test_votes_without_a_day_do_not_count(found) -> None:
    assert found["Q_C2"] == (0, 3, -3, 1)


def test_nothing_is_known_of_an_answer_after_the_cut(found) -> None:
    assert found["Q_C3"] == (None, None, None, None)


def test_an_answer_at_the_cut_has_no_votes(found) -> None:
    assert found["R_C1"] == (0, 0, 0, 0)


def test_nothing_is_known_without_a_cut() -> None:
    batch = batch_of([Thread("Q", "U1", [Said("U2", "one", at(2))])])
    assert [tuple(row.values())[2:] for row in values(AnswerVotesAsOfV1(), batch)] == [(None,) * 4]
