import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from saved_folders import reloaded_ranker

from cqa_spark.errors import ConfigError, ContractError, InputError
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.out_of_fold import out_of_fold, share_threshold
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.rankers.scoring import collect_candidates

SMALL = {"trees": 10, "depth": 2, "learning_rate": 0.5}
REGRESSION = {**SMALL, "objective": "regression"}
LOGISTIC: dict[str, Any] = {"name": "logistic_regression"}
LEARNED: dict[str, tuple[str, dict[str, Any]]] = {
    "logistic_regression": ("logistic_regression", {}),
    "classification": ("boosted_trees", {**SMALL, "parallel_trees": 2}),
    "pairwise": ("boosted_trees", {**SMALL, "objective": "pairwise"}),
    "listwise": ("boosted_trees", {**SMALL, "objective": "listwise"}),
    "average": ("average", {"members": [LOGISTIC, {"name": "boosted_trees", "parameters": SMALL}]}),
    "linear_svm": ("linear_svm", {"iterations": 10}),
    "mean_similarity": (
        "mean_similarity",
        {"members": [{"name": "ridge_regression"}, {"name": "boosted_trees", "parameters": REGRESSION}]},
    ),
    "within_query": ("within_query", {"member": {**LOGISTIC, "parameters": {"iterations": 5}}}),
}
WITHOUT_CONTRIBUTIONS = {"average", "within_query"}
"""Rankers whose scores are no sums over features on one scale."""


def scores(model: RankerModel, frame: DataFrame) -> dict[str, float]:
    rows = model.transform(frame).select("candidate_id", "score").collect()
    return {row["candidate_id"]: row["score"] for row in rows}


@pytest.fixture(scope="module", params=LEARNED.values(), ids=LEARNED)
def ranker(request: pytest.FixtureRequest) -> Ranker[Any]:
    return build_ranker(*request.param)


@pytest.fixture(scope="module")
def model(ranker, training) -> RankerModel:
    return ranker.fit(training.repartition(1))


@pytest.fixture(scope="module")
def rows(training) -> pd.DataFrame:
    return training.toPandas()


@pytest.fixture(scope="module")
def scored(training, model) -> dict[str, float]:
    """What the model gives the examples that it was trained on."""
    return scores(model, training)


def test_the_model_is_the_same_whatever_the_partitions(training, ranker, model, scored) -> None:
    other = ranker.fit(training.repartition(3))
    assert other.description == model.description
    assert scores(other, training) == scored


def test_relevant_candidates_score_higher(training, rows, model, scored) -> None:
    means = rows["candidate_id"].map(scored).groupby(rows["relevant"]).mean()
    assert means[True] > means[False] + 0.2
    assert model.transform(training).columns == [*EXAMPLES.schema.names, "score", "predicted"]


def test_a_loaded_model_scores_as_the_saved_one(training, model, scored, tmp_path: Path) -> None:
    loaded = reloaded_ranker(model, tmp_path)
    assert loaded.description == model.description
    assert scores(loaded, training) == scored
    assert loaded.feature_importances() == model.feature_importances()


def test_importances_are_shares_and_the_signal_has_most(model) -> None:
    importances = model.feature_importances()
    by_feature = {found.feature: found for found in importances}
    assert sum(found.importance for found in importances) == pytest.approx(1)
    assert by_feature["g_v1__signal"].importance > 0.6
    assert by_feature["g_v1__signal"].direction == (model.description.ranker != "boosted_trees")


def test_contributions_add_up_to_the_differences_between_scores(training, model, scored) -> None:
    if not model.explains:
        assert model.description.ranker in WITHOUT_CONTRIBUTIONS
        return
    candidates = collect_candidates(training, model.description.features)
    rows, moved = candidates.examples.to_pandas(), model.contributions(candidates)
    given = rows["candidate_id"].map(scored)
    is_probability = given.between(0, 1).all() and model.description.ranker != "linear_svm"
    if is_probability and model.description.parameters.get("objective") not in ("pairwise", "listwise"):
        given = (given / (1 - given)).map(math.log)
    start = given.to_numpy() - moved.sum(axis=1)
    assert start == pytest.approx([start[0]] * len(rows), abs=1e-4)


@pytest.fixture(scope="module")
def logistic(training) -> RankerModel:
    """One model for what all check alike before they score."""
    return build_ranker("logistic_regression", {}).fit(training)


def test_the_order_of_columns_at_prediction_does_not_matter(training, logistic) -> None:
    assert scores(logistic, training.select(*reversed(training.columns))) == scores(logistic, training)


def test_other_features_are_refused_by_name(training, logistic) -> None:
    other = training.drop("g_v1__signal").withColumn("h_v2__new", F.lit(1.0))
    with pytest.raises(ContractError) as caught:
        logistic.transform(other)
    assert "missing g_v1__signal; extra h_v2__new" in str(caught.value)


def test_a_feature_of_another_type_is_refused(training, logistic) -> None:
    with pytest.raises(ContractError, match="g_v1__noise is int, not double"):
        logistic.transform(training.withColumn("g_v1__noise", F.lit(1)))


def test_a_feature_that_is_not_a_number_stops_the_scoring_and_names_the_row(training, logistic) -> None:
    spoiled = training.where("candidate_id = 'C03_1'").withColumn("g_v1__noise", F.lit(float("nan")))
    with pytest.raises(Exception, match="g_v1__noise is not a number for query Q03, candidate C03_1"):
        logistic.transform(spoiled).collect()


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_a_training_feature_that_is_not_a_number_is_refused(training, value: float | None) -> None:
    spoiled = F.when(F.col("query_id") == "Q00", F.lit(value).cast("double")).otherwise(1.0)
    with pytest.raises(ContractError, match=r"in the training examples: g_v1__noise"):
        build_ranker("logistic_regression", {}).fit(training.withColumn("g_v1__noise", spoiled))


def test_unlabelled_examples_are_left_out_and_counted(training) -> None:
    partly = training.withColumn("relevant", F.when(F.col("query_id") != "Q00", F.col("relevant")))
    model = build_ranker("logistic_regression", {}).fit(partly)
    without = build_ranker("logistic_regression", {}).fit(training.where("query_id != 'Q00'"))
    assert model.description.training.model_dump() == {
        "queries": 39,
        "rows": 195,
        "relevant": 78,
        "unlabelled": 5,
        "workers": 1,
    }
    assert scores(model, training) == scores(without, training)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("not relevant", "none of the 120 labelled training examples is relevant"),
        ("relevant", "all 80 labelled training examples are relevant"),
    ],
)
def test_a_single_class_cannot_be_learned(training, condition: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_ranker("boosted_trees", SMALL).fit(training.where(condition))


def test_examples_without_labels_cannot_be_learned(training) -> None:
    unlabelled = training.withColumn("relevant", F.lit(None).cast("boolean"))
    with pytest.raises(InputError, match="none of the 200 training examples has a label"):
        build_ranker("logistic_regression", {}).fit(unlabelled)


def test_a_frame_without_features_cannot_be_learned(training) -> None:
    with pytest.raises(ContractError, match="no features"):
        build_ranker("logistic_regression", {}).fit(training.drop("g_v1__signal", "g_v1__noise"))


def test_classifiers_predict_by_the_threshold_on_the_probability(training) -> None:
    model = build_ranker("logistic_regression", {"threshold": 0.3}).fit(training)
    rows = model.transform(training).select("score", "predicted").collect()
    assert {row["predicted"] for row in rows} == {True, False}
    assert all(row["predicted"] == (row["score"] >= 0.3) for row in rows)


def test_rankers_predict_as_many_examples_as_are_relevant_by_scores_out_of_fold(training, ranker, model) -> None:
    if ranker.gives_probabilities or ranker.name == "linear_svm":
        assert model.description.threshold == (0.5 if ranker.gives_probabilities else 0.0)  # a setting
        return
    found = [row["score"] for row in out_of_fold(ranker, training, folds=3).select("score").collect()]
    assert model.description.threshold == sorted(found, reverse=True)[80 - 1]
    rows = model.transform(training).select("score", "predicted").collect()
    assert all(row["predicted"] == (row["score"] >= model.description.threshold) for row in rows)


def test_what_is_fitted_for_its_scores_alone_has_no_threshold(training) -> None:
    ranker = build_ranker("boosted_trees", {**SMALL, "objective": "pairwise"})
    assert ranker.fit_scores(training).description.threshold is None


def test_the_share_threshold_is_the_score_of_the_last_relevant_place(spark) -> None:
    frame = spark.createDataFrame([(value,) for value in (0.5, -1.0, 3.0, 0.5, 2.0)], "score double").repartition(3)
    assert [share_threshold(frame, relevant) for relevant in (1, 2, 3, 5)] == [3.0, 2.0, 0.5, -1.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("boosted_trees", {**SMALL, "objective": "pairwise"}), ("logistic_regression", {})],
    ids=["trees", "linear"],
)
def test_two_workers_train_the_same_model_whatever_the_partitions(training, name: str, parameters: Any) -> None:
    ranker = build_ranker(name, {**parameters, "workers": 2})
    models = [ranker.fit(training.repartition(partitions)) for partitions in (1, 7)]
    once, again = (scores(model, training) for model in models)
    assert once == again
    assert models[0].description.training.workers == 2
    if name == "logistic_regression":
        alone = build_ranker(name, parameters).fit(training)
        assert once == pytest.approx(scores(alone, training), abs=1e-6)


def test_more_workers_than_queries_are_refused(training) -> None:
    with pytest.raises(ConfigError, match="1 training queries keep 1 of 2 training workers busy"):
        build_ranker("boosted_trees", {**SMALL, "workers": 2}).fit(training.where("query_id = 'Q01'"))


def test_the_average_is_that_of_the_log_odds(training) -> None:
    specs = [{"name": "logistic_regression", "parameters": {"l2": l2}} for l2 in (0.001, 1.0)]
    average = build_ranker("average", {"members": specs}).fit(training)

    def odds(model: RankerModel) -> dict[str, float]:
        return {candidate: score / (1 - score) for candidate, score in scores(model, training).items()}

    first, second = (odds(build_ranker(**spec).fit(training)) for spec in specs)
    mean = {candidate: math.sqrt(first[candidate] * second[candidate]) for candidate in first}
    assert odds(average) == pytest.approx(mean)
    assert len(mean) == 200
