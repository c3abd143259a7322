"""What two questions, and the comments below one of them, have in common."""

from math import log, sqrt

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.similarity.thread_similarity import ThreadSimilarityV1
from cqa_spark.features.groups.similarity.title_similarity import TitleSimilarityV1
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.text.terms import Collection

Rows = dict[str, dict[str, float | None]]

_HOLDING = {"visa": 4, "cost": 3, "for": 1, "family": 2, "of": 1, "today": 1, "gym": 2, "school": 1, "fees": 1, "no": 1}
_COLLECTION = Collection(_HOLDING, documents=7, occurrences=17)
_IDF = {stem: log((1 + 7) / (1 + holding)) + 1 for stem, holding in _HOLDING.items()}


def _question(thread_id: str, subject: str, body: str, *comments: str) -> Thread:
    said = [Said(None, comment) for comment in comments]
    return Thread(thread_id, None, said, question=f"{subject}\n{body}", subject=subject)


_THREADS = [
    _question("Q1", "visa cost", "for family"),
    _question("Q1_R1", "cost of visa", "today", "family visa", "gym"),
    _question("Q1_R2", "visa cost", "gym", "no"),
    _question("Q1_R3", "school", "fees"),
]
"""A new question, three related ones, and below two of them comments; a comment is a candidate too."""

_EXAMPLES = [*[("Q1", f"Q1_R{n}", f"Q1_R{n}") for n in (1, 2, 3)], ("Q1", "Q1_R1_C1", "Q1_R1")]


def _by_candidate(group: type[CollectionGroup]) -> Rows:
    batch = batch_of(_THREADS, _EXAMPLES, task="question_question")
    return {row["candidate_id"]: row for row in values(group(_COLLECTION), batch)}


@pytest.fixture(scope="module")
def titles() -> Rows:
    return _by_candidate(TitleSimilarityV1)


@pytest.fixture(scope="module")
def threads() -> Rows:
    return _by_candidate(ThreadSimilarityV1)


def test_subjects_are_compared_with_subjects(titles: Rows) -> None:
    found = titles["Q1_R1"]
    assert (found["subject_words_jaccard"], found["subject_words_answered"], found["subject_words_repeated"]) == (
        2 / 3,
        1.0,
        2 / 3,
    )
    assert found["subject_bigrams_jaccard"] == 0.0
    # "visa cost" holds 7 runs of three characters, "cost of visa" 10; "vis", "isa", "cos", "ost" are in both.
    assert found["subject_char3_jaccard"] == 4 / (7 + 10 - 4)
    assert found["subject_lengths"] == pytest.approx(log(4 / 3))
    assert found["same_subject"] == 0.0
    assert found["subject_edits"] == pytest.approx(1 - 9 / 12)


def test_subjects_are_compared_by_the_rarity_of_their_stems(titles: Rows) -> None:
    found = titles["Q1_R1"]
    asked, said = sqrt(_IDF["visa"] ** 2 + _IDF["cost"] ** 2), _IDF["visa"] ** 2 + _IDF["cost"] ** 2 + _IDF["of"] ** 2
    assert found["subject_cosine"] == pytest.approx(asked / sqrt(said))
    assert found["subject_covered"] == pytest.approx(1.0)
    whole = sum(_IDF[stem] for stem in ("visa", "cost", "for", "family"))
    assert found["query_covered"] == pytest.approx((_IDF["visa"] + _IDF["cost"]) / whole)


def test_equal_subjects(titles: Rows) -> None:
    found = titles["Q1_R2"]
    assert found["same_subject"] == found["subject_edits"] == found["subject_char3_jaccard"] == 1.0
    assert found["subject_cosine"] == pytest.approx(1.0)


def test_a_candidate_without_a_subject_has_no_values(titles: Rows) -> None:
    found = titles["Q1_R1_C1"]
    assert {found[column.name] for column in TitleSimilarityV1.columns} == {None}


def test_comments_below_a_question_are_looked_at_together(threads: Rows) -> None:
    found = threads["Q1_R1"]
    query = {stem: _IDF[stem] for stem in ("visa", "cost", "for", "family")}
    said = sqrt(_IDF["family"] ** 2 + _IDF["visa"] ** 2)
    first = said / sqrt(sum(idf**2 for idf in query.values()))
    assert found["query_cosine_max"] == found["query_cosine_first"] == pytest.approx(first)
    assert found["query_cosine_mean"] == pytest.approx(first / 2)
    assert found["query_covered_max"] == pytest.approx((_IDF["family"] + _IDF["visa"]) / sum(query.values()))
    assert found["subject_covered_max"] == pytest.approx(_IDF["visa"] / (_IDF["visa"] + _IDF["cost"]))
    assert found["touched"] == 1 / 2
    assert found["log_comments"] == pytest.approx(log(3))


def test_a_thread_that_does_not_speak_of_the_query(threads: Rows) -> None:
    found = dict(threads["Q1_R2"])
    assert found.pop("log_comments") == pytest.approx(log(2))
    assert {value for name, value in found.items() if name not in ("site", "query_id", "candidate_id")} == {0.0}


@pytest.mark.parametrize("candidate", ["Q1_R3", "Q1_R1_C1"])
def test_a_candidate_without_comments_has_no_values(threads: Rows, candidate: str) -> None:
    assert {threads[candidate][column.name] for column in ThreadSimilarityV1.columns} == {None}
