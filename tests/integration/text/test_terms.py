"""The weights of terms."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from saved_folders import saved

from cqa_spark.text.terms import Collection

_SCHEMA = "text_id string, stems array<string>"


@pytest.fixture(scope="module")
def texts(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([("1", ["a", "b", "a"]), ("2", ["a"]), ("3", [])], _SCHEMA)


@pytest.fixture(scope="module")
def collection(texts: DataFrame) -> Collection:
    return Collection.of(texts, "stems")


def test_counts_are_of_texts_not_of_occurrences(collection: Collection) -> None:
    assert {tuple(row) for row in collection.frequencies.collect()} == {("a", 2), ("b", 1)}
    assert [tuple(row) for row in collection.size.collect()] == [(3, 4)]


def test_weights_by_hand(spark: SparkSession, collection: Collection) -> None:
    new = spark.createDataFrame([("9", ["new", "a", "a"]), ("8", [])], _SCHEMA)
    (found,) = collection.weigh(new, "stems").collect()
    idf_a, idf_new = log(4 / 3) + 1, log(4 / 1) + 1
    slowed = 1.2 * (1 - 0.75 + 0.75 * 3 / (4 / 3))
    assert found.terms == ["a", "new"]
    assert found.weights["a"].asDict() == pytest.approx(
        {
            "idf": idf_a,
            "tf_idf": (1 + log(2)) * idf_a,
            "bm25": log(1 + 1.5 / 2.5) * 2 * 2.2 / (2 + slowed),
        }
    )
    assert found.weights["new"].asDict() == pytest.approx(
        {
            "idf": idf_new,
            "tf_idf": idf_new,
            "bm25": log(1 + 3.5 / 0.5) * 2.2 / (1 + slowed),
        }
    )
    assert found.norm == pytest.approx(sqrt(((1 + log(2)) * idf_a) ** 2 + idf_new**2))
    assert found.idf == pytest.approx(idf_a + idf_new)


def test_a_collection_without_texts_weighs_all_terms_alike(spark: SparkSession, texts: DataFrame) -> None:
    nothing = Collection.of(spark.createDataFrame([], _SCHEMA), "stems")
    found = {row.text_id: row.weights for row in nothing.weigh(texts, "stems").collect()}
    assert found["1"]["b"].idf == found["2"]["a"].idf == 1.0


def test_what_is_saved_is_what_is_read(texts: DataFrame, collection: Collection, tmp_path: Path) -> None:
    read = Collection.load(saved(collection, tmp_path))
    assert sorted(read.weigh(texts, "stems").collect()) == sorted(collection.weigh(texts, "stems").collect())
