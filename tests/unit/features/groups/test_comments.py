"""Sentiment by sentence, with and without neutral ones; sums are whole numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.features.groups.comments import NEUTRAL_BELOW, SCALE, measure


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, 0, 0, 0)),
        ("   \n ", (0, 0, 0, 0)),
        ("The bottle is brown.", (1, 0, 0, 0)),
        ("Great!", (1, 6588, 1, 6588)),
        ("Great! The bottle is brown.", (2, 6588, 1, 6588)),
        ("This is terrible.\nIt is 3.5 percent strong", (2, -4767 + 5106, 2, -4767 + 5106)),
        ("Not good", (1, -3412, 1, -3412)),
    ],
)
def test_sentences_and_their_tones(text: str, expected: tuple[int, int, int, int]) -> None:
    assert measure(text) == expected


@given(st.text(max_size=80), st.text(max_size=80))
def test_lines_are_measured_one_by_one(one: str, other: str) -> None:
    both = measure(f"{one}\n{other}")
    assert both == tuple(a + b for a, b in zip(measure(one), measure(other), strict=True))


@given(st.text(max_size=120))
def test_sums_stay_within_their_bounds(text: str) -> None:
    sentences, total, toned, toned_total = measure(text)
    assert 0 <= toned <= sentences
    assert abs(total) <= SCALE * sentences
    assert abs(toned_total) <= SCALE * toned
    assert abs(total - toned_total) < NEUTRAL_BELOW * max(1, sentences - toned)
