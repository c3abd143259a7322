"""Late answers and contradicted acceptances, by votes as they were known at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.findings.answers import DAY, MARKUP, NEVER, Answers
from cqa_spark.findings.contradicted_acceptances import ContradictedAcceptances
from cqa_spark.findings.late_answers import FEATURES, LateAnswers, candidates, gains_most

_ANSWERS = pa.schema(
    [
        *((name, pa.string()) for name in ("post_id", "thread_id", "author_id", "asker_id")),
        *((name, pa.int64()) for name in ("asked", "answered", "accepted", "ends", "words", *MARKUP)),
        ("vote_times", pa.list_(pa.int64())),
        ("vote_signs", pa.list_(pa.int64())),
    ]
)


def answer(post_id, answered, votes=(), *, thread="1", words=10, accepted=None, author="7", ends=1000):
    """Days since 1970 for all times; votes by the day from whose end on they are known, down votes negative."""
    return {
        "post_id": post_id, "thread_id": thread, "author_id": author, "asker_id": "9", "asked": 0,
        "answered": answered * DAY, "accepted": None if accepted is None else accepted * DAY, "ends": ends * DAY,
        "words": words, **dict.fromkeys(MARKUP, 0), "vote_times": [abs(day) * DAY for day in votes],
        "vote_signs": [1 if day > 0 else -1 for day in votes],
    }  # fmt: skip


def table(*answers):
    return pa.Table.from_pylist(list(answers), schema=_ANSWERS)


def test_votes_are_those_known_at_a_time() -> None:
    answers = Answers.of(table(answer("3", 2, [4, 6, -6]), answer("2", 1, [2]), answer("4", 3)))
    assert answers.ids.tolist() == ["2", "3", "4"]
    rows, days = np.array([0, 1, 1, 1, 2]), np.array([2, 3, 4, 6, 6]) * DAY
    assert answers.votes(rows, days).tolist() == [1, 0, 1, 1, 0]
    assert answers.accepted.tolist() == [NEVER] * 3


def test_rivals_are_the_answers_that_were_there() -> None:
    answers = Answers.of(table(answer("2", 1), answer("3", 5), answer("4", 1, thread="8"), answer("5", 9)))
    position, row = answers.rivals(np.array([1, 0]), np.array([6, 6]) * DAY)
    assert (position.tolist(), row.tolist()) == ([0, 1], [0, 1])


def test_the_record_of_an_author_ends_with_the_answer() -> None:
    answers = Answers.of(
        table(answer("2", 1, [3], thread="1"), answer("3", 2, [3, 9], thread="2"), answer("4", 4, thread="3"))
    )
    number, votes = answers.author_record(np.array([0, 1, 2]), np.array([8, 8, 8]) * DAY)
    assert (number.tolist(), votes.tolist()) == ([0, 1, 2], [0, 1, 2])


def test_deleted_accounts_have_no_record() -> None:
    answers = Answers.of(table(answer("2", 1, author=None), answer("3", 2, author=None)))
    assert answers.author_record(np.array([0, 1]), np.array([9, 9]) * DAY)[0].tolist() == [0, 0]


def test_late_answers_are_behind_a_week_later() -> None:
    late = candidates(
        Answers.of(
            table(
                answer("2", 1, [2, 3]),
                answer("3", 29, [30]),  # a day too early to be late
                answer("4", 40, [41]),
                answer("5", 50, [51, 52, 58]),  # the last vote came a day after it is judged
            )
        )
    )
    assert (late.row.tolist(), (late.cut // DAY).tolist(), late.rival.tolist()) == ([2], [47], [0])
    assert late.features[0, FEATURES.index("lead")] == pytest.approx(np.log(2))


def test_young_late_answers_are_judged_tonight() -> None:
    late = candidates(Answers.of(table(answer("2", 1, [2], ends=43), answer("4", 40, ends=43))))
    assert (late.cut // DAY).tolist() == [43]


def test_what_follows_is_known_after_a_year() -> None:
    rows = [answer("2", 1, [2, 3, 300]), answer("4", 40, [100, 200]), answer("5", 700)]
    answers = Answers.of(table(*rows))
    late = candidates(answers)
    known, hits = gains_most(answers, late)
    assert (answers.ids[late.row[known]].tolist(), hits.tolist()) == (["4"], [True])


def test_a_dump_cut_by_hand_has_the_same_late_answers() -> None:
    rows = [
        answer("2", 1, [2, 3, 300]), answer("3", 35, [36, 60], author="8"), answer("4", 40, [41, 43, 200]),
        answer("6", 2, [3, 90], thread="5", author="8"),
    ]  # fmt: skip
    for end in (47, 60, 120):
        cut = [
            row | {
                "ends": end * DAY,
                "vote_times": [time for time in row["vote_times"] if time <= end * DAY],
                "vote_signs": row["vote_signs"][: sum(time <= end * DAY for time in row["vote_times"])],
            }
            for row in rows
        ]  # fmt: skip
        whole, known = (candidates(Answers.of(table(*some))) for some in (rows, cut))
        assert whole.row.tolist() == known.row.tolist()
        assert whole.features.tolist() == known.features.tolist()


def test_acceptances_that_votes_contradict() -> None:
    rows = table(
        answer("2", 1, [2, 3, 4, 5]), answer("3", 2, [3], accepted=5), answer("4", 3),
        answer("7", 1, [2, 3], thread="6"), answer("8", 1, thread="6", accepted=4),
    )  # fmt: skip
    [contradiction] = ContradictedAcceptances().find("a", rows)
    assert contradiction == {
        "kind": "contradicted_acceptance", "post_id": "3", "other_id": "2", "thread_id": "1", "score": 3.0,
        "probability": None, "evidence": "votes of the accepted answer 1 against 4",
    }  # fmt: skip


def test_of_several_best_answers_the_oldest_contradicts() -> None:
    rows = table(answer("2", 1, [2, 3, 4]), answer("3", 2, [2, 3, 4]), answer("4", 3, accepted=5))
    [contradiction] = ContradictedAcceptances().find("a", rows)
    assert contradiction["other_id"] == "2"


@pytest.mark.parametrize(("later", "score"), [([100, 101], 1.0), ([], 0.5), ([-100], 0.0)])
def test_contradictions_of_the_past_are_measured_by_later_votes(later: list[int], score: float) -> None:
    rows = table(answer("2", 1, [2, 3, 4, *later]), answer("3", 2, accepted=5))
    [case] = ContradictedAcceptances().backtest("a", rows)
    assert (case["post_id"], case["score"], case["rival_score"]) == ("3", score, 0.5)


def test_sites_without_votes_have_no_findings_of_answers() -> None:
    rows = table(answer("2", 1), answer("3", 50))
    for finding in (LateAnswers(), ContradictedAcceptances()):
        assert [*finding.find("a", rows), *finding.backtest("a", rows)] == []
