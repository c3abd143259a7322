"""Confident disagreements, by scores of both orders on nights of a few answers."""

from __future__ import annotations

from math import log

import pyarrow as pa
import pytest

from cqa_spark.findings.confident_disagreements import BY_VOTES, ORDER, ConfidentDisagreements, disagreements

_ROWS = pa.schema(
    [
        ("site", pa.string()), ("thread_id", pa.string()), ("query_id", pa.string()), ("age_days", pa.int32()),
        ("candidate_id", pa.string()), ("system", pa.string()), ("score", pa.float64()), ("rank", pa.int32()),
        ("accepted", pa.bool_()), ("served", pa.bool_()),
    ]
)  # fmt: skip


def night(answers, *, thread="1", age=None, accepted=None, served=ORDER):
    """The rows of a night: by answer, the weight of its probability, and its score by votes; tonight without an age."""
    rows = []
    for system, scores in (
        (ORDER, {answer: log(weight) for answer, (weight, _) in answers.items()}),
        (BY_VOTES, {answer: votes for answer, (_, votes) in answers.items()}),
    ):
        ranked = sorted(scores, key=lambda answer: (-scores[answer], answer))
        rows += [
            {
                "site": "a", "thread_id": thread, "query_id": thread if age is None else f"{thread}@{age}",
                "age_days": age, "candidate_id": answer, "system": system, "score": scores[answer], "rank": rank,
                "accepted": None if accepted is None else answer == accepted,
                "served": None if age is not None else system == served,
            }
            for rank, answer in enumerate(ranked, start=1)
        ]  # fmt: skip
    return rows


def table(*nights):
    return pa.Table.from_pylist([row for of_night in nights for row in of_night], schema=_ROWS)


def found(*nights):
    return [*ConfidentDisagreements().find("a", table(*nights))]


def cases(*nights):
    return [*ConfidentDisagreements().backtest("a", table(*nights))]


SURE = {"11": (5, 2.5), "12": (3, 3.25), "13": (2, 0.5)}
"""The order is for 11 with a probability of .5, against .3 for 12, which has a vote more."""


def test_nights_of_which_the_orders_rank_other_answers_are_left_out() -> None:
    partly = [row for row in night(SURE, thread="2") if (row["system"], row["candidate_id"]) != (BY_VOTES, "12")]
    of_order = [row for row in night(SURE, thread="3") if row["system"] == ORDER]
    assert [row["thread_id"] for row in found(partly, night(SURE), of_order)] == ["1"]


def test_the_night_lists_the_answer_of_the_order_and_that_of_votes() -> None:
    [row] = found(night(SURE))
    assert row == {
        "kind": "confident_disagreement", "post_id": "11", "other_id": "12", "thread_id": "1",
        "score": pytest.approx(0.2), "probability": pytest.approx(0.5), "evidence": "votes 2 against 3; 3 answers",
    }  # fmt: skip


def test_down_votes_and_equal_votes_with_other_lengths_are_told() -> None:
    [row] = found(night({"11": (6, -0.75), "12": (4, -0.25)}))
    assert row["evidence"] == "votes -1 against -1; 2 answers"


@pytest.mark.parametrize(("weights", "is_sure"), [((54, 46), True), ((52, 48), False), ((50, 50), False)])
def test_margins_below_five_points_are_not_listed(weights: tuple[int, int], is_sure: bool) -> None:
    rows = night({"11": (weights[0], 1.5), "12": (weights[1], 2.5)})
    assert bool(found(rows)) == is_sure


def test_agreement_known_acceptances_and_other_served_orders_are_not_listed() -> None:
    assert not found(night({"11": (5, 3.5), "12": (3, 2.5)}))
    assert not found(night(SURE, accepted="13"))
    assert not found(night(SURE, served=BY_VOTES))
    assert not found(night(SURE, age=4, accepted="11"))


def test_a_site_without_one_of_the_orders_has_none() -> None:
    rows = table(night(SURE)).filter(pa.array([True] * 3 + [False] * 3))
    assert len(disagreements(rows).first) == 0
    assert [*ConfidentDisagreements().find("a", rows)] == [*ConfidentDisagreements().backtest("a", rows)] == []
    assert not found()


def test_the_backtest_says_which_answer_was_accepted_later() -> None:
    rows = cases(
        night(SURE, age=4, accepted="11"), night(SURE, age=2, accepted="12"),
        night(SURE, thread="2", age=8, accepted="13"), night(SURE, thread="3"),
    )  # fmt: skip
    columns = ("cluster", "age_days", "post_id", "score", "rival_score", "hit")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("1", 2, "11", 0.0, 1.0, False), ("1", 4, "11", 1.0, 0.0, True), ("2", 8, "11", 0.0, 0.0, False),
    ]  # fmt: skip
    assert [row["probability"] for row in rows] == pytest.approx([0.5] * 3)


def test_a_replayed_night_says_what_was_said_when_it_was_tonight() -> None:
    [then], [now] = cases(night(SURE, age=16, accepted="12")), found(night(SURE))
    assert (then["post_id"], then["probability"]) == (now["post_id"], now["probability"])


def test_other_threads_of_a_site_and_the_order_of_rows_change_nothing() -> None:
    nights = [night(SURE, thread=str(thread)) for thread in range(3)]
    alone = [row for of_night in nights for row in found(of_night)]
    backwards = pa.Table.from_pylist([row for of_night in nights for row in of_night][::-1], schema=_ROWS)
    assert [*ConfidentDisagreements().find("a", backwards)] == found(*nights) == alone
