"""Common runs of words, longest first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.text.string_similarity import Tile, tiles

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
        run = one[tile.one : tile.one + tile.length]
        assert run == other[tile.other : tile.other + tile.length]
        assert len(run) >= least
    for text, start in ((one, "one"), (other, "other")):
        covered = [place for tile in laid for place in range(getattr(tile, start), getattr(tile, start) + tile.length)]
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
        left[tile.one : tile.one + tile.length] = ["covered"] * tile.length
        other_left[tile.other : tile.other + tile.length] = ["covered too"] * tile.length
    assert set(left).isdisjoint(other_left)


@given(WORDS)
def test_a_text_covers_itself(words: list[str]) -> None:
    assert tiles(words, words) == ([Tile(0, 0, len(words))] if words else [])
