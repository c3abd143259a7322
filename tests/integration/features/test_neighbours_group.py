"""How similar a comment is to the rest of its thread."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest
from literal_community import Said, Thread, community_of
from pyspark.sql import SparkSession

from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.groups.thread.neighbours import NeighboursV1
from cqa_spark.features.inputs import FeatureInputs

_HALFWAY = 1 / sqrt(2)
_TO_REST = _HALFWAY / sqrt(0.5 + (1 + _HALFWAY) ** 2 + 1)
"""Oil, beside the sum of oil-and-lamp, wax and lamp."""

_EXPECTED = {
    "previous_cosine": [0, _HALFWAY, 0, 0],
    "next_cosine": [_HALFWAY, 0, 0, 0],
    "others_cosine": [sqrt(2 / 3), _TO_REST, 0, _TO_REST],
    "closest_cosine": [_HALFWAY, _HALFWAY, 0, _HALFWAY],
    "closest_before_cosine": [0, _HALFWAY, 0, _HALFWAY],
    "asker_cosine": [_HALFWAY, 0, 0, 0],
    "question_cosine": [1, _HALFWAY, 0, _HALFWAY],
    "new_share": [0, 0, 1, 0],
    "question_rank": [0.25, 0.5, 1, 0.5],
}
"""Two texts each hold oil and lamp, so that the two weigh the same."""


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    said = [Said("U7", "oil lamp"), Said("U8", "oil"), Said("U7", "wax"), Said("U9", "lamp")]
    unasked = [Said("U7", "fire"), Said("U8", "..."), Said("U6", "fire")]
    return community_of(
        spark, [Thread("Q1", "U9", said, question="oil lamp"), Thread("Q2", None, unasked, split="dev")]
    )


def test_cosines_to_the_rest_of_the_thread(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(NeighboursV1, inputs, folds=2)
    rows = {row["candidate_id"]: row.asDict() for row in values.collect()}
    found = {name: [rows[f"Q1_C{place}"][name] for place in range(1, 5)] for name in _EXPECTED}
    assert found == {name: pytest.approx(values, abs=1e-12) for name, values in _EXPECTED.items()}
    assert rows["Q1_C1"]["others_rank"] == 0.25
    assert rows["Q1_C3"]["others_rank"] == 1.0
    first, nothing, last = (rows[f"Q2_C{place}"] for place in (1, 2, 3))
    assert [one["others_cosine"] for one in (first, nothing, last)] == pytest.approx([1.0, 0.0, 1.0])
    assert [one["question_cosine"] for one in (first, nothing, last)] == [0.0, 0.0, 0.0]
    assert [one["new_share"] for one in (first, nothing, last)] == [1.0, 0.0, 0.0]


def test_the_values_are_the_same_to_the_last_bit_however_rows_are_spread(inputs: FeatureInputs) -> None:
    def values(partitions: int) -> list[tuple[object, ...]]:
        spread = {name: getattr(inputs, name).repartition(partitions) for name in ("examples", "comments", "texts")}
        given = replace(inputs, **spread)
        return sorted(compute_values(NeighboursV1().fit(given), given).collect())

    assert values(1) == values(7)
