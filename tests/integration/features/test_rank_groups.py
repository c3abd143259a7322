"""The rank family: search order, and scores of the steps on the way."""

from __future__ import annotations

from math import log

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.errors import ContractError
from cqa_spark.features.groups.thread.path_scores import PathScoresV1
from cqa_spark.features.groups.thread.search_rank import SearchRankV1
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import UPSTREAM_SCORES

A, B, C = "question_comment", "question_question", "external_comment"


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    pairs = [("T5_1", "T5", 501), ("T5_2", "T5", 502), ("T2_1", "T2", 201), ("T9_1", "T9", 901)]
    rows = [("s", C, "Q", comment, thread, "Q", rank, "dev") for comment, thread, rank in pairs]
    columns = (
        "site string, task string, query_id string, candidate_id string, thread_id string, fold_key string, "
        "initial_rank int, split string"
    )
    scores = [
        ("a", "s", A, "T5", "T5_1", 0.5), ("a", "s", A, "T5", "T5_2", 0.8), ("a", "s", A, "T2", "T2_1", 0.0),
        ("b", "s", B, "Q", "T5", 0.4), ("b", "s", B, "Q", "T2", 0.9),
    ]  # fmt: skip
    empty = spark.createDataFrame([], "site string")
    examples, known = (
        EXAMPLES.complete(spark.createDataFrame(rows, columns)),
        spark.createDataFrame(scores, UPSTREAM_SCORES.schema),
    )
    return FeatureInputs(examples, empty, empty, empty, empty, scores=known)


def values(found: DataFrame) -> dict[str, tuple[float, ...]]:
    return {row["candidate_id"]: tuple(row)[3:] for row in found.collect()}


def test_search_rank(inputs: FeatureInputs) -> None:
    expected = {
        "T2_1": (log(201), 1, 1, log(1), 1, 1, log(201), 1, 1),
        "T5_1": (log(501), 2, 1 / 2, log(2), 2, 1 / 2, log(501), 1, 1),
        "T5_2": (log(502), 3, 1 / 3, log(3), 2, 1 / 2, log(501), 2, 1 / 2),
        "T9_1": (log(901), 4, 1 / 4, log(4), 3, 1 / 3, log(901), 1, 1),
    }
    found = values(SearchRankV1().compute(inputs))
    assert found == {pair: pytest.approx(row, rel=1e-15) for pair, row in expected.items()}


def test_path_scores(inputs: FeatureInputs) -> None:
    found = values(PathScoresV1().compute(inputs))
    assert set(found) == {"T5_1", "T5_2", "T2_1"}  # nothing is known of T9
    to_first, to_thread = log(0.5), log(0.4)
    assert found["T5_1"] == pytest.approx(
        (to_first, to_thread, to_first + to_thread, to_first + 2 * to_thread, 0.2, 2, 2, to_thread - log(0.9),
         to_first - log(0.8))
    )  # fmt: skip
    # A probability of nothing is not the logarithm of nothing.
    assert found["T2_1"] == pytest.approx(
        (log(1e-6), log(0.9), log(1e-6) + log(0.9), log(1e-6) + 2 * log(0.9), 0, 1, 1, 0, 0)
    )


def test_path_scores_need_upstream_systems(inputs: FeatureInputs) -> None:
    with pytest.raises(ContractError, match="needs the table scores"):
        PathScoresV1().compute(FeatureInputs(*[inputs.examples] * 5))
