"""The wording that a candidate shares with its query."""

from math import log

import numpy as np
import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread

from cqa_spark.features.groups.similarity.overlap import OverlapV1

_PAIRS = (
    Pair("good dentist doha", "who knows one", "a good dentist in doha near near me"),
    Pair("abcd", "", "bcde"),
    Pair("room 12", "of 30", "12 30 30 x"),
    Pair("anything", "at all", ""),
    Pair("نعم شكرا", "", "نعم نعم"),
    Pair("Same", "Same", "SAME"),
)


@pytest.fixture(scope="module")
def found() -> list[dict[str, float]]:
    return values(OverlapV1(), pairs_of(_PAIRS))


@pytest.mark.parametrize(
    ("unit", "shared", "asked", "said"),
    [
        ("query_words", 3, 6, 7),
        ("query_content_words", 3, 6, 7),
        ("query_stems", 3, 6, 7),
        ("query_bigrams", 1, 5, 7),
        ("query_stem_bigrams", 1, 5, 7),
        ("query_trigrams", 0, 4, 6),
        ("subject_content_words", 3, 3, 7),
        ("subject_stems", 3, 3, 7),
    ],
)
def test_words_and_their_runs_count_once(found, unit: str, shared: int, asked: int, said: int) -> None:
    assert found[0][f"{unit}_jaccard"] == shared / (asked + said - shared)
    assert found[0][f"{unit}_answered"] == shared / asked
    assert found[0][f"{unit}_repeated"] == shared / said


def test_runs_of_characters_overlap(found) -> None:
    assert found[1]["query_char3_jaccard"] == found[1]["subject_char3_jaccard"] == 1 / 3
    assert found[1]["query_char3_answered"] == found[1]["query_char3_repeated"] == 1 / 2
    assert found[1]["query_char4_jaccard"] == 0.0


def test_counts_and_lengths(found) -> None:
    assert found[0]["shared_stems"] == pytest.approx(log(1 + 3))
    assert found[0]["shared_numbers"] == 0.0
    assert found[0]["length_share"] == 7 / 13
    assert found[2]["shared_numbers"] == pytest.approx(log(1 + 2))


def test_a_comment_without_words_shares_nothing(found) -> None:
    assert {found[3][column.name] for column in OverlapV1.columns} == {0.0}


def test_other_scripts_are_compared_too(found) -> None:
    assert found[4]["query_words_jaccard"] == 1 / 2
    assert found[4]["query_char3_answered"] == 2 / 6


def test_characters_are_compared_in_lower_case(found) -> None:
    assert found[5]["subject_char3_jaccard"] == 1.0


def test_a_pair_without_a_known_text_has_no_values() -> None:
    batch = batch_of(
        [Thread("Q1", None, [Said(None, "good")]), Thread("Q2", None, [Said(None, "good")], question="good")]
    )
    unknown, known = values(OverlapV1(), batch)
    assert {unknown[column.name] for column in OverlapV1.columns} == {None}
    assert known["query_words_jaccard"] == 1.0


def test_a_missing_subject_shares_nothing() -> None:
    [found] = values(OverlapV1(), batch_of([Thread("Q1", None, [Said(None, "good day")], question="good day")]))
    assert (found["query_stems_jaccard"], found["subject_stems_jaccard"]) == (1.0, 0.0)


def test_values_do_not_follow_from_the_other_pairs_of_a_batch(found) -> None:
    batch = pairs_of(_PAIRS)
    alone = [values(OverlapV1(), batch.keep(np.arange(len(_PAIRS)) == place)) for place in range(len(_PAIRS))]
    assert alone == [[expected] for expected in found]
