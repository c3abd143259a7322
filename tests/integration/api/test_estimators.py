"""Rankers in pipelines of ``pyspark.ml``."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import SQLTransformer
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cqa_spark as cqa
from cqa_spark.errors import ConfigError

SMALL = {"trees": 10, "depth": 2, "learning_rate": 0.5}


@pytest.fixture(scope="module")
def answers(spark: SparkSession) -> DataFrame:
    """30 questions with 4 answers; ``votes`` tells the good one, ``noise`` does not."""
    rows = []
    for q in range(30):
        for a in range(4):
            good = (q + a) % 4 == 0
            rows.append((f"q{q}", f"q{q}a{a}", good + (a * 7 + q * 3) % 5 / 10, (q * 5 + a * 3) % 7, good))
    columns = "question string, answer string, votes double, noise int, good boolean"
    return spark.createDataFrame(rows, columns).cache()


def estimator(ranker: str = "boosted_trees", **parameters: object) -> cqa.RankerEstimator:
    columns = {"queryCol": "question", "candidateCol": "answer", "labelCol": "good"}
    return cqa.RankerEstimator(ranker, ["votes", "squared"], **columns, **parameters)


def first_answers(frame: DataFrame) -> dict[str, str]:
    rows = frame.groupBy("question").agg(F.max_by("answer", "score").alias("first")).collect()
    return {row["question"]: row["first"] for row in rows}


def test_a_pipeline_ranks_and_is_the_same_after_saving(answers: DataFrame, tmp_path: Path) -> None:
    squared = SQLTransformer(statement="select *, votes * votes as squared from __THIS__")
    fitted = Pipeline(stages=[squared, estimator(**SMALL)]).fit(answers)
    ranked = fitted.transform(answers)
    good = {row["question"]: row["answer"] for row in answers.where("good").collect()}
    assert first_answers(ranked) == good
    assert ranked.columns == [*answers.columns, "squared", "score", "predicted"]
    fitted.write().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert loaded.stages[1].uid == fitted.stages[1].uid
    assert sorted(loaded.transform(answers).collect()) == sorted(ranked.collect())
    unlabelled = answers.drop("good")
    assert first_answers(loaded.transform(unlabelled)) == good


def test_cross_validation_chooses_among_parameters(answers: DataFrame) -> None:
    folds = answers.selectExpr("*", "votes * noise as squared", "int(pmod(xxhash64(question), 2)) as fold")
    trees = estimator(**SMALL)
    grid = ParamGridBuilder().addGrid(trees.depth, [1, 2]).build()
    columns = {"queryCol": "question", "candidateCol": "answer", "labelCol": "good"}
    measure = cqa.RankingEvaluator("P@1", **columns)
    chosen = CrossValidator(
        estimator=trees, estimatorParamMaps=grid, evaluator=measure, numFolds=2, foldCol="fold"
    ).fit(folds)
    assert chosen.avgMetrics == [1.0, 1.0]
    assert measure.evaluate(chosen.transform(folds)) == 1.0


def test_an_estimator_keeps_its_parameters(tmp_path: Path, spark: SparkSession) -> None:
    members = [{"name": "logistic_regression", "parameters": {"l2": l2}} for l2 in (0.5, 1.0)]
    given = estimator("average", members=members, threshold=0.25)
    given.write().save(str(tmp_path / "estimator"))
    loaded = cqa.RankerEstimator.load(str(tmp_path / "estimator"))
    assert loaded.extractParamMap() == given.extractParamMap()


def test_unknown_rankers_and_parameters_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown ranker boosted_tres"):
        estimator("boosted_tres")
    with pytest.raises(ConfigError, match="unknown parameter dept"):
        estimator(dept=3)
