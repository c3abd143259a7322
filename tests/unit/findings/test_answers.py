"""Late answers and contradicted acceptances, by votes as they were known at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.findings.answers import DAY, MARKUP, NEVER, Answers, author_records
from cqa_spark.findings.contradicted_acceptances import ContradictedAcceptances
from cqa_spark.findings.finding import Finding
from cqa_spark.findings.late_answers import FEATURES, LateAnswers, candidates, gains_most

_ANSWERS = pa.schema(
    [
        *((name, pa.string()) for name in ("post_id", "thread_id", "author_id", "asker_id")),
        *((name, pa.int64()) for name in ("asked", "answered", "accepted", "ends", "words", *MARKUP)),
        *((name, pa.int64()) for name in ("author_answers", "author_votes")),
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
        "vote_signs": [1 if day > 0 else -1 for day in votes], "author_answers": 0, "author_votes": 0,
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


def record(*answers):
    """The records of authors, of answers with the days of their votes."""
    rows = [answer(*of_answer, author=author) | {"site": "a", "author": author} for author, *of_answer in answers]
    schema = _ANSWERS.append(pa.field("site", pa.string())).append(pa.field("author", pa.string()))
    return [column.tolist() for column in author_records(pa.Table.from_pylist(rows, schema=schema))]


def test_the_record_of_an_author_ends_with_the_answer_and_the_votes_known_a_week_later() -> None:
    answers = ("7", "2", 1, [3]), ("7", "3", 2, [3, 9, 10]), ("7", "4", 4), ("8", "5", 3, [4, -5]), ("8", "6", 9)
    assert record(*answers) == [[0, 1, 2, 0, 1], [0, 1, 4, 0, 0]]


def test_votes_that_came_after_the_week_count_for_later_answers() -> None:
    answers = ("7", "2", 1, [10]), ("7", "3", 2), ("7", "4", 3), ("7", "5", 4, [1, 2])
    assert record(*answers) == [[0, 1, 2, 3], [0, 0, 1, 1]]


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


@pytest.mark.parametrize(
    ("finding", "listed", "past"),
    [(LateAnswers(), ["7", "13"], ["11"]), (ContradictedAcceptances(), ["13"], ["3"])],
)
def test_kernels_give_the_same_rows_of_all_threads_and_of_each(
    finding: Finding, listed: list[str], past: list[str]
) -> None:
    threads = [
        [answer("2", 1, [2, 3, 4, 5], thread="1"), answer("3", 2, [3, 900], thread="1", accepted=5)],
        [answer("7", 950, [951], thread="6"), answer("5", 1, [2, 4], thread="6")],
        [answer("11", 40, [100, 300], thread="8"), answer("9", 1, [2, 3], thread="8")],
        [answer("13", 960, thread="12", accepted=970), answer("14", 1, [2, 3, 3], thread="12")],
    ]
    every = [row for thread in threads for row in thread]
    for kernel, posts in ((finding.find, listed), (finding.backtest, past)):
        split = [row for thread in threads for row in kernel("a", table(*thread))]
        assert sorted(row["post_id"] for row in split) == sorted(posts)
        assert sorted(kernel("a", table(*every)), key=str) == sorted(split, key=str)
