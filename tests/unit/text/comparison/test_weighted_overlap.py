from __future__ import annotations

import pytest

from cqa_spark.text.comparison.weighted_overlap import WeightedOverlap, compare_weighted

WEIGHTS = {"the": 1.0, "dog": 3.0, "runs": 2.0, "sits": 4.0}


def test_terms_count_once_and_by_their_weights() -> None:
    found = compare_weighted(["the", "dog", "runs", "the"], ["dog", "sits"], WEIGHTS.__getitem__)
    assert found == WeightedOverlap(
        jaccard=3 / 10, dice=6 / 13, shorter=3 / 6, heaviest_missing=4.0, more_missing=4.0, less_missing=3.0
    )
    assert found == compare_weighted(["dog", "sits"], ["the", "dog", "runs"], WEIGHTS.__getitem__)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((), (), WeightedOverlap(0, 0, 0, 0, 0, 0)),
        (("dog",), (), WeightedOverlap(0, 0, 0, 3, 3, 0)),
        (("dog",), ("dog",), WeightedOverlap(1, 1, 1, 0, 0, 0)),
    ],
)
def test_ends(one: tuple[str, ...], other: tuple[str, ...], expected: WeightedOverlap) -> None:
    assert compare_weighted(one, other, WEIGHTS.__getitem__) == expected
