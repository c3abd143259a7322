"""Frequent words and near words of a collection."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.text.word_vectors import cooccurrences, frequent_words


@pytest.fixture(scope="module")
def texts(spark: SparkSession) -> DataFrame:
    rows = [("1", ["a", "x", "b", "a"]), ("2", ["b"]), ("3", []), ("4", ["c", "b", "a"])]
    return spark.createDataFrame(rows, "text_id string, words array<string>")


def test_frequent_words_by_hand(texts: DataFrame) -> None:
    found = frequent_words(texts, "words", rarest=1, most=3)
    assert [tuple(row) for row in found.collect()] == [("a", 3, 2), ("b", 3, 3), ("c", 1, 1)]
    assert [row.word for row in frequent_words(texts, "words", rarest=2, most=9).collect()] == ["a", "b"]


@pytest.mark.parametrize("partitions", [1, 3])
def test_near_words_are_counted_once_a_place(texts: DataFrame, partitions: int) -> None:
    numbers = {"a": 0, "b": 1, "c": 2}
    # The first text is read as a, b, a.
    for window, expected in ((1, {(0, 1, 3), (1, 2, 1)}), (2, {(0, 0, 1), (0, 1, 3), (0, 2, 1), (1, 2, 1)})):
        found = cooccurrences(texts.repartition(partitions), "words", numbers, window=window).collect()
        assert {tuple(row) for row in found} == expected
