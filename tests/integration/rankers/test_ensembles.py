"""Calibration and cross-fitting: what they learn comes from scores of examples that the members did not see."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from saved_folders import reloaded_ranker

from cqa_spark.features.training_data import fold_of
from cqa_spark.rankers.cross_fitted import CrossFittedModel
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.registry import build_ranker

FAST = {"iterations": 5}
SVM = {"name": "linear_svm", "parameters": FAST}
LOGISTIC = {"name": "logistic_regression", "parameters": FAST}


@pytest.fixture(scope="module")
def held(training: DataFrame) -> DataFrame:
    return training.repartition(1).cache()


def rows(model: RankerModel, frame: DataFrame) -> list[Row]:
    return (
        model.transform(frame)
        .select("candidate_id", "score", "predicted", "relevant")
        .orderBy("candidate_id")
        .collect()
    )


def test_out_of_fold_scores_come_from_the_other_folds(held: DataFrame) -> None:
    ranker = build_ranker(**LOGISTIC)
    found = out_of_fold(ranker, held, folds=2)
    assert found.count() == held.count()
    first = fold_of(2) == 0
    wanted = ranker.fit(held.where(~first)).transform(held.where(first))
    columns = ["candidate_id", "score"]
    assert found.where(first).select(*columns).exceptAll(wanted.select(*columns)).isEmpty()


def test_another_seed_makes_other_folds_of_whole_threads(held: DataFrame) -> None:
    folds = held.select("fold_key", fold_of(3).alias("one"), fold_of(3, seed=4).alias("other")).distinct().collect()
    assert len(folds) == len({row["fold_key"] for row in folds})
    assert [row["one"] for row in folds] != [row["other"] for row in folds]


def test_a_calibrated_ranker_keeps_the_order_and_gives_probabilities(
    training: DataFrame, held: DataFrame, tmp_path: Path
) -> None:
    ranker = build_ranker("calibrated", {"member": SVM, "folds": 2})
    model = ranker.fit(held)
    found = rows(model, held)
    margins = {row["candidate_id"]: row["score"] for row in rows(model.member, held)}
    by_margin = sorted(found, key=lambda row: margins[row["candidate_id"]])
    assert [row["score"] for row in by_margin] == sorted(row["score"] for row in found)
    assert all(0 <= row["score"] <= 1 for row in found)
    assert sum(row["score"] for row in found) == pytest.approx(sum(row["relevant"] for row in found), rel=0.1)
    assert {row["predicted"] for row in found} == {True, False}
    assert rows(ranker.fit(training.repartition(3)), held) == found
    assert rows(reloaded_ranker(model, tmp_path), held) == found


def test_the_column_baseline_can_predict_nothing(held: DataFrame) -> None:
    for predict, wanted in (("all", True), ("none", False)):
        ranker = build_ranker("column", {"column": "initial_rank", "ascending": True, "predict": predict})
        predicted = ranker.fit(held).transform(held).select(F.min("predicted"), F.max("predicted")).first()
        assert tuple(predicted or ()) == (wanted, wanted)


@pytest.mark.parametrize("sites", [1, 2])
def test_a_cross_fitted_ranker_scores_every_fold_by_a_model_of_the_others(held: DataFrame, sites: int) -> None:
    frame = held.withColumn("site", F.concat(F.lit("s"), F.crc32("fold_key") % sites))
    model = build_ranker("cross_fitted", {"member": LOGISTIC, "folds": 2}).fit(frame)
    assert isinstance(model, CrossFittedModel)
    assert model.folds.are_of_sites == (sites == 2)
    fold = model.folds.column()
    alone = build_ranker(**LOGISTIC)
    found = {row["candidate_id"]: row["score"] for row in rows(model, frame)}
    for part in range(2):
        scored = rows(alone.fit_scores(frame.where(fold != part)), frame.where(fold == part))
        assert scored
        assert all(found[row["candidate_id"]] == row["score"] for row in scored)
    elsewhere = frame.withColumn("site", F.lit("elsewhere"))
    assert {row["score"] for row in rows(model, elsewhere)} == {row["score"] for row in rows(model.on_all, elsewhere)}
    assert sum(row["predicted"] for row in rows(model, frame)) == 80
