"""Similarity of texts as sequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.text.string_similarity import Tile, compare_sequences, longest_common_substring, tiles

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


# Common runs of words, longest first.

WORDS = st.lists(st.sampled_from("abc"), max_size=12)


@pytest.mark.parametrize(
    ("one", "other", "least", "expected"),
    [
        ("a b c", "a b c", 1, [Tile(0, 0, 3)]),
        ("x a b y c", "c a b", 1, [Tile(1, 1, 2), Tile(4, 0, 1)]),
        ("x a b y c", "c a b", 2, [Tile(1, 1, 2)]),
        ("a a", "a", 1, [Tile(0, 0, 1)]),
        ("", "a", 1, []),
        # "b c" is covered by the longer run; of "c d" only "d" is left.
        ("a b c x c d", "a b c d", 1, [Tile(0, 0, 3), Tile(5, 3, 1)]),
        # Both texts hold "a b" twice, in places of their own.
        ("a b x a b", "a b y a b", 2, [Tile(0, 0, 2), Tile(3, 3, 2)]),
    ],
)
def test_tiles_by_hand(one: str, other: str, least: int, expected: list[Tile]) -> None:
    assert tiles(one.split(), other.split(), least) == expected


@given(WORDS, WORDS, st.integers(1, 3))
def test_tiles_are_common_runs_that_cover_no_word_twice(one: list[str], other: list[str], least: int) -> None:
    laid = tiles(one, other, least)
    for tile in laid:
        run = one[tile.first : tile.first + tile.length]
        assert run == other[tile.second : tile.second + tile.length]
        assert len(run) >= least
    for text, start in ((one, "first"), (other, "second")):
        covered = [word for tile in laid for word in range(getattr(tile, start), getattr(tile, start) + tile.length)]
        assert len(covered) == len(set(covered)) <= len(text)


@given(WORDS, WORDS)
def test_the_longest_run_is_laid_first_and_nothing_common_is_left(one: list[str], other: list[str]) -> None:
    laid = tiles(one, other)
    lengths = [tile.length for tile in laid]
    assert lengths == sorted(lengths, reverse=True)
    runs = {tuple(one[i:j]) for i in range(len(one)) for j in range(i + 1, len(one) + 1)}
    common = {run for run in runs for i in range(len(other)) if tuple(other[i : i + len(run)]) == run}
    assert max(lengths, default=0) == max(map(len, common), default=0)
    left, other_left = list(one), list(other)
    for tile in laid:
        left[tile.first : tile.first + tile.length] = ["covered"] * tile.length
        other_left[tile.second : tile.second + tile.length] = ["covered too"] * tile.length
    assert set(left).isdisjoint(other_left)


@given(WORDS)
def test_a_text_covers_itself(words: list[str]) -> None:
    assert tiles(words, words) == ([Tile(0, 0, len(words))] if words else [])
