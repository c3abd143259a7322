"""Votes for the answer up to the cut, by hand."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_batches import batch_of, values
from literal_threads import SITE, Said, Thread

from cqa_spark.corpora.stackexchange.values import DOWN, UP
from cqa_spark.features.group import QueryGroup
from cqa_spark.features.groups.answer_text import AnswerMarkupAsOfV1
from cqa_spark.features.groups.answer_time import AnswerTimingAsOfV1
from cqa_spark.features.groups.answer_votes import AnswerStandingAsOfV1, AnswerVotesAsOfV1
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.within_query import WithinQuery, signed_log


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


# Evidence of a night on literal threads: standing, timing and markup of answers among their rivals.

GROUPS = (AnswerStandingAsOfV1(), AnswerTimingAsOfV1(), AnswerMarkupAsOfV1())


CUT = at(11)
THREAD = Thread(
    "Q",
    "U1",
    [
        Said("U2", "<p>You know: I do!</p>", at(2, 12)),
        Said("U1", "<ul><li>a b</li><li>a</li></ul> <a href='x'>c</a>", at(5, 9)),
        Said(None, "short", at(11, 1)),
    ],
    at=at(2, 9),
)
VOTES = [
    ("Q_C1", UP, at(3), 2),  # on the day of the answer
    ("Q_C1", UP, at(10), 1),
    ("Q_C1", DOWN, at(6), 1),
    ("Q_C2", UP, at(6), 1),
    ("Q_C2", UP, at(11), 3),  # known at the very cut
    ("Q_C2", UP, at(12), 50),
    ("Q_C3", UP, at(11), 9),
]


def batch(thread: Thread = THREAD, votes=VOTES, cut: datetime = CUT) -> QueryBatch:
    """Answers as the pass gives them: each is a post."""
    names = ("post_id", "vote_type_id", "known_at", "number")
    rows = [{"query_post_id": "Q", **dict(zip(names, vote, strict=True))} for vote in votes]
    made = batch_of([thread], votes=rows, cut=cut)
    answers = [
        {"site": SITE, "query_post_id": "Q", "post_id": f"Q_C{place}", "thread_id": "Q", "author": said.author,
         "created_at": said.at, "body": said.text}
        for place, said in enumerate(thread.said, start=1)
    ]  # fmt: skip
    return replace(made, posts=pa.concat_tables([made.posts, pa.Table.from_pylist(answers, schema=made.posts.schema)]))


def by_answer(group: QueryGroup, given: QueryBatch | None = None) -> dict[str, dict[str, float | None]]:
    rows = values(group, batch() if given is None else given)
    return {row.pop("candidate_id"): row for row in rows if row.pop("query_id")}


def test_votes_are_compared_with_those_for_the_rivals_that_were_there() -> None:
    found = by_answer(AnswerStandingAsOfV1())
    log = np.log1p
    assert found["Q_C1"] == pytest.approx(
        {
            "net": log(2), "share": 2 / 3, "down": log(1), "lead": -log(2), "leads": 0, "early": 2, "since_latest": 0,
        }
    )  # fmt: skip
    assert found["Q_C2"]["net"] == pytest.approx(log(4))
    assert (found["Q_C2"]["lead"], found["Q_C2"]["leads"]) == (pytest.approx(log(2)), 1)
    assert found["Q_C2"]["since_latest"] == pytest.approx(log(4))
    assert set(found["Q_C3"].values()) == {None}


def test_votes_far_apart_are_as_good_as_ten_apart() -> None:
    given = batch(votes=[("Q_C1", UP, at(3), 70), ("Q_C2", UP, at(6), 2)])
    lead = {answer: row["lead"] for answer, row in by_answer(AnswerStandingAsOfV1(), given).items()}
    assert lead == {"Q_C1": pytest.approx(np.log(11)), "Q_C2": pytest.approx(-np.log(11)), "Q_C3": None}


def test_the_answers_have_places_in_time_and_durations() -> None:
    found = by_answer(AnswerTimingAsOfV1())
    log = np.log1p
    assert found["Q_C1"] == pytest.approx(
        {"age": log(9), "delay": log(3), "gap": log(3), "first": 1, "last": 0, "by_asker": 0}
    )
    assert found["Q_C2"] == pytest.approx(
        {"age": log(6), "delay": log(72), "gap": log(69), "first": 0, "last": 1, "by_asker": 1}
    )
    assert set(found["Q_C3"].values()) == {None}


def test_length_and_markup_are_counted() -> None:
    found = by_answer(AnswerMarkupAsOfV1())
    log = np.log1p
    assert (found["Q_C2"]["items"], found["Q_C2"]["links"], found["Q_C2"]["paragraphs"]) == (log(2), log(1), 0)
    assert found["Q_C1"]["first_person"] == found["Q_C1"]["second_person"] == 0.25
    assert (found["Q_C1"]["exclamations"], found["Q_C1"]["different_words"]) == (log(1), log(4))
    assert found["Q_C1"]["lead"] == -found["Q_C2"]["lead"]
    assert found["Q_C1"]["longest"] + found["Q_C2"]["longest"] == 1
    assert found["Q_C3"]["characters"] is None


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_what_came_after_the_cut_changes_nothing(group: QueryGroup) -> None:
    earlier = Thread("Q", "U1", THREAD.said[:2], at=THREAD.at)
    before = by_answer(group, batch(earlier, [vote for vote in VOTES if vote[2] <= CUT and vote[0] != "Q_C3"]))
    assert {answer: row for answer, row in by_answer(group).items() if answer in before} == before


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_an_answer_alone_has_values_and_a_query_without_a_cut_has_none(group: QueryGroup) -> None:
    alone = by_answer(group, batch(Thread("Q", "U1", THREAD.said[:1], at=THREAD.at), VOTES[:1]))
    assert None not in alone["Q_C1"].values()
    assert {value for row in by_answer(group, batch(cut=None)).values() for value in row.values()} == {None}


@given(st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_lead_is_the_distance_from_the_best_rival(queries: list[list[int]]) -> None:
    rivals = WithinQuery(np.repeat(np.arange(len(queries)), [len(each) for each in queries]))
    expected = [
        own - max((other for rival, other in enumerate(each) if rival != place), default=own)
        for each in queries
        for place, own in enumerate(each)
    ]
    assert rivals.lead(np.array([float(value) for each in queries for value in each])).tolist() == expected


def test_a_signed_logarithm_keeps_the_sign() -> None:
    assert signed_log(np.array([-1.0, 0.0, np.e - 1])).tolist() == pytest.approx([-np.log(2), 0, 1])
