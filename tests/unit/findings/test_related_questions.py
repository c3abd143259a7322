"""Related and duplicate questions of a site: what is listed, and what is not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from literal_questions import question, table

from cqa_spark.findings import question_pairs, related_questions
from cqa_spark.findings.question_pairs import SiteLinks
from cqa_spark.findings.related_questions import DUPLICATE, LINKED, RelatedQuestions, components


@pytest.fixture
def sure(monkeypatch: pytest.MonkeyPatch) -> RelatedQuestions:
    """A finding that takes the share of common words for the probability."""
    finding = RelatedQuestions()
    monkeypatch.setattr(
        RelatedQuestions, "_probability", lambda self, kind, site, questions, pairs: pairs.features["words_share"]
    )
    return finding


def listed(finding: RelatedQuestions, *questions) -> list[tuple[str, str, str]]:
    return [(row["kind"], row["post_id"], row["other_id"]) for row in finding.find("a", table(*questions))]


def test_a_question_is_found_with_the_earlier_one_whatever_their_order(sure: RelatedQuestions) -> None:
    rows = question("9", "pour a stout", 2), question("3", "brew an ale", 1), question("5", "pour a stout", 0)
    assert listed(sure, *rows) == [(LINKED, "9", "5"), (DUPLICATE, "9", "5")]


def test_linked_pairs_are_known(sure: RelatedQuestions) -> None:
    assert listed(sure, question("1", "pour a stout", 0), question("2", "pour a stout", 1, links={"1": 3})) == []
    assert listed(sure, question("1", "pour a stout", 0, links={"2": 3}), question("2", "pour a stout", 1)) == []


def test_a_series_has_no_duplicates(sure: RelatedQuestions) -> None:
    rows = question("1", "Moderator election 2015", 0), question("2", "Moderator election 2016", 400)
    assert listed(sure, *rows) == [(LINKED, "2", "1")]


def test_closed_questions_need_no_duplicate(sure: RelatedQuestions) -> None:
    rows = question("1", "pour a stout", 0), question("2", "pour a stout", 1, closed=True)
    assert listed(sure, *rows) == [(LINKED, "2", "1")]


def test_of_five_equal_questions_the_oldest_are_listed_first(sure: RelatedQuestions) -> None:
    rows = [question(str(number), "pour a stout", number) for number in range(8)]
    last = [row for row in listed(sure, *rows) if row[1] == "7"]
    assert last == [*((LINKED, "7", str(number)) for number in range(5)), (DUPLICATE, "7", "0")]


def test_links_of_the_past_are_the_backtest(sure: RelatedQuestions) -> None:
    rows = table(
        question("1", "pour a stout", 0), question("2", "brew an ale", 1),
        question("3", "pour a stout", 2, links={"1": 4}),
    )  # fmt: skip
    cases = [(case["kind"], case["post_id"], case["cluster"], case["score"]) for case in sure.backtest("a", rows)]
    assert cases == [(LINKED, "3", "1", 1.0), (DUPLICATE, "3", "1", 1.0)]


def test_a_site_without_links_has_no_backtest(sure: RelatedQuestions) -> None:
    assert [*sure.backtest("a", table(question("1", "a", 0), question("2", "a", 1)))] == []


def test_questions_are_connected_with_the_oldest_that_they_are_linked_with() -> None:
    links = SiteLinks(np.zeros(2, np.int64), np.array([2, 4]), np.array([1, 2]), np.ones(2, bool))
    assert components(links, 5).tolist() == [0, 1, 1, 3, 1]


def test_shares_of_the_queries_make_the_same_rows_whatever_the_parts(
    sure: RelatedQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_pairs, "_AT_A_TIME", 2)
    rows = [
        question("8", "pour a stout", 0), question("3", "brew an ale", 1), question("5", "pour a stout", 2),
        question("9", "brew an ale", 3, links={"3": 4}), question("7", "pour an ale", 5),
    ]  # fmt: skip
    whole = table(*rows)
    shares = [table(*reversed(rows), part=2, share=share, shares=2) for share in range(2)]
    both = pa.concat_tables(shares)
    for kernel, posts in ((sure.find, [{"5", "7"}, {"7"}, {"5"}]), (sure.backtest, [{"9"}, {"9"}, set()])):
        made = [[*kernel("a", part)] for part in (whole, *shares)]
        assert [{row["post_id"] for row in of_part} for of_part in made] == posts
        split = sorted(made[1] + made[2], key=str)
        assert sorted(made[0], key=str) == split
        assert sorted(kernel("a", both), key=str) == split


def test_the_models_of_the_package_judge_words_and_vectors() -> None:
    vectors = np.ones(768, np.float16).tobytes()
    for stored in (None, vectors):
        rows = table(question("1", "pour a stout", 0, vectors=stored), question("2", "pour a stout", 1, vectors=stored))
        found = [*RelatedQuestions().find("a", rows)]
        assert [row["probability"] for row in found] == [
            pytest.approx(row["score"]) for row in found if row["score"] >= related_questions.LEAST
        ]
