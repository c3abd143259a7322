"""Rankers in pipelines of ``pyspark.ml``."""

from pathlib import Path

import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import SQLTransformer
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cqa_spark as cqa
from cqa_spark.errors import ConfigError
from cqa_spark.features.groups.quality.goodness_pmi import GoodnessPmiV1

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


def pairs(spark: SparkSession) -> DataFrame:
    """12 questions with a good answer, whose words no other answer has, and two others; the last 4 have no label."""
    rows = [
        (q, f"Where is number {q}?", f"{q}-{a}", text, a == 1 if q <= 8 else None)
        for q in range(1, 13)
        for a, text in enumerate(["Sorry, no idea at all", "In the centre, near the station", "Thanks a lot, bye"])
    ]
    columns = "query_id long, query string, candidate_id string, candidate string, label boolean"
    return spark.createDataFrame(rows, columns)


def test_a_group_that_learns_from_labels_is_a_stage_of_a_pipeline(spark: SparkSession, tmp_path: Path) -> None:
    frame = pairs(spark)
    group = cqa.FeatureEstimator("goodness_pmi_v1", "question_comment", folds=2)
    columns = [f"goodness_pmi_v1__{column.name}" for column in GoodnessPmiV1.columns]
    stages = [group, cqa.RankerEstimator("logistic_regression", columns)]
    fitted = Pipeline(stages=stages).fit(frame)
    ranked = fitted.transform(frame.where("label IS NULL").drop("label"))
    assert ranked.columns == ["query_id", "query", "candidate_id", "candidate", *columns, "score", "predicted"]
    best = ranked.groupBy("query_id").agg(F.max_by("candidate_id", "score").alias("best")).collect()
    assert {row["query_id"]: row["best"] for row in best} == {q: f"{q}-1" for q in range(9, 13)}
    fitted.write().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert sorted(loaded.transform(frame.where("label IS NULL").drop("label")).collect()) == sorted(ranked.collect())
    labelled = frame.where("label IS NOT NULL")
    as_training, as_new = (fitted.stages[0].transform(rows) for rows in (labelled, labelled.drop("label")))
    of_both = [
        {tuple(row) for row in rows.select("candidate_id", *columns).collect()} for rows in (as_training, as_new)
    ]
    assert len(of_both[0]) == 24
    assert of_both[0] != of_both[1], "training examples have the values of a group that has not seen their labels"


def test_groups_that_read_more_than_a_frame_has_are_refused() -> None:
    with pytest.raises(ConfigError, match="reads votes, which a frame of pairs does not have"):
        cqa.FeatureEstimator("answer_votes_asof_v1", "preferred_answer")
