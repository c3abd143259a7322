"""Counts of character n-grams are added up in a task, whatever the partitions."""

import numpy as np
import pytest
from pyspark.sql import SparkSession

from cqa_spark.text.characters import CharacterRuns, count_runs

TEXTS = ["beer", "beer and malt", "", "Bier"]


@pytest.mark.parametrize(("texts", "partitions"), [(TEXTS, 1), (TEXTS, 3), ([], 2)])
def test_texts_are_counted_that_hold_a_run(spark: SparkSession, texts: list[str], partitions: int) -> None:
    frame = spark.createDataFrame([(text,) for text in texts], "clean string").repartition(partitions)
    found = CharacterRuns.of(frame)
    assert found.documents == len(texts)
    assert np.array_equal(found.document_frequency, np.asarray((count_runs(texts) > 0).sum(axis=0)).ravel())
