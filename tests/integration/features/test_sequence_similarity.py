"""Wording in the same order; the measures themselves are tested without Spark."""

from __future__ import annotations

import pytest
from literal_pairs import Pair, pairs_of
from pyspark.sql import Row, SparkSession

from cqa_spark.features.featurize import compute_values
from cqa_spark.features.groups.thread.sequence_similarity import SequenceSimilarityV1
from cqa_spark.text.comparison.sequences import SequenceSimilarity, compare_sequences

_PAIRS = (
    Pair("Buy a car", "in doha today", "You can buy a car in Doha"),
    Pair("gym", "", ""),
)


@pytest.fixture(scope="module")
def values(spark: SparkSession) -> dict[str, Row]:
    return {row.query_id: row for row in compute_values(SequenceSimilarityV1(), pairs_of(spark, _PAIRS)).collect()}


def _expected(side: str, one: str, other: str) -> dict[str, float]:
    found = compare_sequences(one.split(), other.split(), one.lower(), other.lower())
    return {f"{side}_{field}": getattr(found, field) for field in SequenceSimilarity._fields}


def test_both_sides_are_compared_with_the_candidate(values: dict[str, Row]) -> None:
    said = _PAIRS[0].comment
    expected = _expected("query", "Buy a car in doha today", said) | _expected("subject", "Buy a car", said)
    found = values["Q1"].asDict()
    assert {name: found[name] for name in expected} == expected
    assert found["query_tiled"] == 2 * 3 / (6 + 7)
    assert found["subject_substring"] == 1.0


def test_an_empty_comment_repeats_nothing(values: dict[str, Row]) -> None:
    assert {values["Q2"][column.name] for column in SequenceSimilarityV1.columns} == {0.0}
