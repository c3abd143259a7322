"""Regressions on the embeddings of labelled pairs: one Spark job for all folds."""

from types import SimpleNamespace

import numpy as np
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from cqa_spark.features.groups.similarity.pair_regression import learn_weights
from cqa_spark.features.training_data import TrainingData

_PAIRS = 12


def test_regressions_are_the_same_in_any_order_of_the_rows_and_empty_without_labels(spark: SparkSession) -> None:
    draw = np.random.default_rng(2)
    vectors = draw.normal(size=(2 * _PAIRS, 3)).round(4).tolist()
    embeddings = spark.createDataFrame(
        [(f"t{number}", "mine", vector) for number, vector in enumerate(vectors)]
        + [(f"t{number}", "other", [9.0]) for number in range(2 * _PAIRS)],
        T.StructType(
            [
                T.StructField("text_id", T.StringType()),
                T.StructField("model", T.StringType()),
                T.StructField("vector", T.ArrayType(T.FloatType(), False)),
            ]
        ),
    )
    documents = spark.createDataFrame(
        [("s", f"d{number}", f"t{number}") for number in range(2 * _PAIRS)],
        "site string, document_id string, text_id string",
    )
    examples = [
        ("s", f"d{number}", f"d{number + _PAIRS}", f"p{number}", float(number % 6) if number else None)
        for number in range(_PAIRS)
    ]

    def learned(rows: list[tuple]) -> list[list[float]]:
        frame = spark.createDataFrame(
            rows, "site string, query_id string, candidate_id string, fold_key string, similarity double"
        )
        inputs = SimpleNamespace(
            examples=frame, documents=documents, needed=lambda table: {"embeddings": embeddings}[table]
        )
        found = learn_weights(TrainingData(inputs, 2), "mine")  # type: ignore[arg-type]
        return [each.tolist() for each in (found.on_all, *found.on_rests)]

    first = learned(examples)
    assert [len(weights) for weights in first] == [7, 7, 7]
    assert learned(examples[::-1]) == first
    assert first[0] != pytest.approx(first[1])
    assert learned([(*row[:-1], None) for row in examples]) == [[], [], []]
