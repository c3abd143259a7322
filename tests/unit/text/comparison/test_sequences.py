"""Similarity of texts as sequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.text.string_similarity import compare_sequences, longest_common_substring

TEXTS = st.lists(st.text("abcé ", min_size=1, max_size=3).map(str.strip).filter(bool), max_size=8).map(" ".join)


def _compare(one: str, other: str) -> dict[str, float]:
    return compare_sequences(one.split(), other.split(), one, other)


def test_similarities_by_hand() -> None:
    found = _compare("buy a car here", "sell a car now or buy")
    assert found["tiled"] == 2 * 2 / (4 + 6)
    assert found["longest_run"] == 2 / 4
    assert found["word_sequence"] == pytest.approx(2 / 6)
    assert found["substring"] == len(" a car ") / 14


def test_edits_by_hand() -> None:
    found = _compare("kitten", "sitting")
    assert found["levenshtein"] == pytest.approx(1 - 3 / 7)
    assert found["char_sequence"] == pytest.approx(len("ittn") / 7)
    assert found["jaro_winkler"] == pytest.approx((4 / 6 + 4 / 7 + 4 / 4) / 3)


def test_the_order_of_words_can_be_left_aside() -> None:
    assert _compare("visa family cost", "cost family visa")["sorted_words"] == 1.0
    assert _compare("visa family cost", "cost family visa")["word_sequence"] == pytest.approx(1 / 3)


def test_one_word_in_common_is_a_run_but_no_tile() -> None:
    found = _compare("doha", "in doha now")
    assert (found["tiled"], found["longest_run"]) == (0.0, 1.0)


@pytest.mark.parametrize(("one", "other"), [("", ""), ("", "a"), ("a", "")])
def test_a_text_without_words_has_nothing_in_common(one: str, other: str) -> None:
    assert _compare(one, other) == {}


@given(TEXTS, TEXTS)
def test_every_similarity_is_a_share_and_takes_no_side(one: str, other: str) -> None:
    found, mirrored = _compare(one, other), _compare(other, one)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert {name for name in found if found[name] != mirrored[name]} <= {"tiled", "jaro_winkler"}


@given(TEXTS.filter(lambda text: len(text.split()) > 1))
def test_a_text_is_like_itself(text: str) -> None:
    assert set(_compare(text, text).values()) == {1.0}


@given(st.text("ab", max_size=10), st.text("ab", max_size=10))
def test_the_longest_common_substring_is_the_longest(one: str, other: str) -> None:
    held = [one[i:j] for i in range(len(one)) for j in range(i, len(one) + 1) if one[i:j] in other]
    assert longest_common_substring(one, other) == max(map(len, held), default=0)
