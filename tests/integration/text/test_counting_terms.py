"""Counting the terms of a collection."""

import pytest
from pyspark.sql import SparkSession

from cqa_spark.text import terms
from cqa_spark.text.terms import Collection

_SCHEMA = "text_id string, stems array<string>"


def test_counts_are_of_texts_not_of_occurrences(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = spark.createDataFrame([("1", ["a", "b", "a"]), ("2", ["a"]), ("3", [])], _SCHEMA)
    assert vars(Collection.of(texts, "stems")) == {"frequencies": {"a": 2, "b": 1}, "documents": 3, "occurrences": 4}
    assert vars(Collection.of(texts.limit(0), "stems")) == {"frequencies": {}, "documents": 0, "occurrences": 0}
    monkeypatch.setattr(terms, "MOST_TERMS", 1)
    assert vars(Collection.of(texts, "stems")) == {"frequencies": {"a": 2}, "documents": 3, "occurrences": 4}
