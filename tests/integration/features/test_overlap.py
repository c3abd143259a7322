"""The wording that a candidate shares with its query."""

from __future__ import annotations

from math import log

import pytest
from literal_pairs import SITE, Pair, pairs_of
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from cqa_spark.features.featurize import compute_values
from cqa_spark.features.groups.thread.overlap import OverlapV1

_PAIRS = (
    Pair("good dentist doha", "who knows one", "a good dentist in doha near near me"),
    Pair("abcd", "", "bcde"),
    Pair("room 12", "of 30", "12 30 30 x"),
    Pair("anything", "at all", ""),
    Pair("نعم شكرا", "", "نعم نعم"),
    Pair("Same", "Same", "SAME"),
)


@pytest.fixture(scope="module")
def values(spark: SparkSession) -> dict[str, Row]:
    found = compute_values(OverlapV1(), pairs_of(spark, _PAIRS)).collect()
    return {row.query_id: row for row in found}


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
def test_words_and_their_runs_count_once(values: dict[str, Row], unit: str, shared: int, asked: int, said: int) -> None:
    found = values["Q1"]
    assert found[f"{unit}_jaccard"] == shared / (asked + said - shared)
    assert found[f"{unit}_answered"] == shared / asked
    assert found[f"{unit}_repeated"] == shared / said


def test_runs_of_characters_overlap(values: dict[str, Row]) -> None:
    found = values["Q2"]
    assert found.query_char3_jaccard == found.subject_char3_jaccard == 1 / 3
    assert found.query_char3_answered == found.query_char3_repeated == 1 / 2
    assert found.query_char4_jaccard == 0.0


def test_counts_and_lengths(values: dict[str, Row]) -> None:
    assert values["Q1"].shared_stems == pytest.approx(log(1 + 3))
    assert values["Q1"].shared_numbers == 0.0
    assert values["Q1"].length_share == 7 / 13
    assert values["Q3"].shared_numbers == pytest.approx(log(1 + 2))


def test_a_comment_without_words_shares_nothing(values: dict[str, Row]) -> None:
    assert {values["Q4"][column.name] for column in OverlapV1.columns} == {0.0}


def test_other_scripts_are_compared_too(values: dict[str, Row]) -> None:
    assert values["Q5"].query_words_jaccard == 1 / 2
    assert values["Q5"].query_char3_answered == 2 / 6


def test_characters_are_compared_in_lower_case(values: dict[str, Row]) -> None:
    assert values["Q6"].subject_char3_jaccard == 1.0


def test_a_pair_without_a_known_text_is_left_out(spark: SparkSession) -> None:
    inputs = pairs_of(spark, _PAIRS[:2])
    unknown = inputs.examples.withColumn("candidate_id", F.lit("nobody's"))
    more = inputs.keep_examples(F.col("query_id") == "Q1")
    mixed = type(inputs)(
        more.examples.unionByName(unknown), inputs.posts, inputs.comments, inputs.documents, inputs.texts
    )
    found = compute_values(OverlapV1(), mixed).select("site", "query_id", "candidate_id").collect()
    assert [tuple(row) for row in found] == [(SITE, "Q1", "Q1_C1")]


def test_the_number_of_partitions_changes_no_digit(spark: SparkSession, values: dict[str, Row]) -> None:
    for partitions in (1, 4, 16):
        found = compute_values(OverlapV1(), pairs_of(spark, _PAIRS, partitions)).collect()
        assert {row.query_id: row for row in found} == values
