"""The network of Xu et al.: learns, is the same whatever the partitions, and can be read back."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from saved_folders import reloaded_ranker

from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.multilayer_perceptron import MultilayerPerceptronRanker
from cqa_spark.rankers.registry import build_ranker

SMALL = {"hidden": [4], "iterations": 30}


@pytest.fixture(scope="module")
def model(training: DataFrame) -> RankerModel:
    return build_ranker("multilayer_perceptron", SMALL).fit(training.repartition(1))


def scores(model: RankerModel, frame: DataFrame) -> dict[str, float]:
    return {row["candidate_id"]: row["score"] for row in model.transform(frame).collect()}


def test_relevant_candidates_score_higher(training: DataFrame, model: RankerModel) -> None:
    means = dict(model.transform(training).groupBy("relevant").agg(F.mean("score")).collect())
    assert means[True] > means[False] + 0.5


def test_the_model_is_the_same_whatever_the_partitions_and_after_reading_back(
    training: DataFrame, model: RankerModel, tmp_path: Path
) -> None:
    other = build_ranker("multilayer_perceptron", SMALL).fit(training.repartition(5))
    assert scores(other, training) == scores(model, training)
    loaded = reloaded_ranker(model, tmp_path)
    assert scores(loaded, training) == scores(model, training)
    assert loaded.feature_importances() == model.feature_importances()


def test_the_signal_counts_most_and_upwards(model: RankerModel) -> None:
    noise, signal = sorted(model.feature_importances(), key=lambda found: found.importance)
    assert signal.feature == "g_v1__signal"
    assert signal.importance > 0.6
    assert signal.direction == 1
    assert noise.importance + signal.importance == pytest.approx(1)


def test_its_scores_are_probabilities() -> None:
    assert MultilayerPerceptronRanker(MultilayerPerceptronRanker.parameters_type()).gives_probabilities
