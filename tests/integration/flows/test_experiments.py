"""Ablation, learning curve, seeds and tuning on the features of a finished run; nothing of the run is changed."""

from pathlib import Path

import pytest
import yaml
from golden.run import GoldenRun
from homes import make_home
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.cli import main
from cqa_spark.experiments import tuning
from cqa_spark.experiments.cross_validation import CrossValidate, fold_number, nested_folds
from cqa_spark.experiments.experiment import HeldOut
from cqa_spark.experiments.retraining import AblateFamilies, LearningCurve, OtherSeeds, feature_sets, in_share
from cqa_spark.experiments.tuning import Trial, chosen, cross_validate_choice
from cqa_spark.features.feature_table import feature_names
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.examples import EXAMPLES, IN_TRAINING
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.settings.experiments import ExperimentSettings, SearchSettings
from cqa_spark.settings.sections import EvaluationSettings, FeatureSettings
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System

FAST = EvaluationSettings(measures=("MAP@10",), resamples=99)
SYSTEM = System(
    name="small",
    task="question_comment",
    about="For tests.",
    feature_groups=("goodness_pmi_v1", "dialogue_v1", "comment_surface_v1"),
    ranker=RankerSpec(name="logistic_regression", parameters={"iterations": 5}),
)
UNFITTED = SYSTEM.model_copy(update={"name": "unfitted", "feature_groups": ("dialogue_v1", "comment_surface_v1")})
"""Whose features are the same in all folds."""

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(scope="module")
def run(question_comment_run: GoldenRun) -> Run:
    finished = question_comment_run.run("r1")
    return Run(finished.lake, finished.record, on_step=lambda step: None, before=finished.manifest)


def by_rank(*, ascending: bool) -> RankerSpec:
    return RankerSpec(name="column", parameters={"column": "initial_rank", "ascending": ascending})


def candidates(frame: DataFrame) -> set[str]:
    return {row[0] for row in frame.select("candidate_id").collect()}


def test_groups_of_one_family_are_left_out_or_used_together() -> None:
    sets = dict(feature_sets(SYSTEM))
    assert list(sets) == [
        ("all", ""),
        ("without", "quality"),
        ("only", "quality"),
        ("without", "dialogue"),
        ("only", "dialogue"),
    ]
    assert sets["without", "dialogue"] == sets["only", "quality"]
    assert {name.split("__")[0] for name in sets["only", "quality"]} == {"comment_surface_v1", "goodness_pmi_v1"}
    assert set(sets["all", ""]) == {*sets["only", "quality"], *sets["only", "dialogue"]}


@pytest.mark.slow
def test_each_family_is_left_out_and_tried_alone_beside_the_full_system(run: Run) -> None:
    found = {(row["variant"], row["family"]): row for row in AblateFamilies([SYSTEM], FAST).of_system(run, SYSTEM)}
    full = found["all", ""]
    assert (full["difference"], full["p_value"], full["split"]) == (0.0, 1.0, "dev")
    assert len(found) == 5
    for row in found.values():
        assert row["difference"] == row["value"] - full["value"]
        assert row["low"] <= row["value"] <= row["high"]
    # With two families, leaving one out is the other alone.
    assert found["without", "dialogue"]["value"] == found["only", "quality"]["value"]


def test_features_of_a_fold_know_no_label_of_the_part_that_is_measured_on(run: Run) -> None:
    training = task_examples(run, SYSTEM.task).where(IN_TRAINING)
    learned = F.hash(*feature_names(["goodness_pmi_v1"]))
    with (
        feature_frames(run, [SYSTEM], training) as stored,
        nested_folds(run, [SYSTEM], FeatureSettings(folds=2), folds=2, repeats=1, seed=1) as parts_of,
    ):
        before = dict(stored(SYSTEM).select("candidate_id", learned).collect())
        [parts] = parts_of(SYSTEM)
        held_out = [candidates(part.evaluated) for part in parts]
        assert held_out[0] | held_out[1] == set(before)
        for part, others in zip(parts, held_out, strict=True):
            found = dict(part.training.select("candidate_id", learned).collect())
            assert set(found) == set(before) - others
            # Stored values were learned from labels of both parts.
            assert sum(value != before[candidate] for candidate, value in found.items()) > len(found) / 2


def test_parameters_are_chosen_for_a_fold_on_the_other_folds_alone(run: Run) -> None:
    order = UNFITTED.model_copy(update={"ranker": by_rank(ascending=False)})
    trials = [Trial("given", {}, order.ranker), Trial("trial 1", {}, by_rank(ascending=True))]
    search, features = SearchSettings(folds=2, repeats=2), FeatureSettings(folds=2)
    with nested_folds(run, [order], features, folds=2, repeats=2, seed=1) as parts_of:
        parts = parts_of(order)
        better = chosen([trial.cross_validated(parts, "MAP@10") for trial in trials])
        found = cross_validate_choice(run, order, trials, parts[0], search=search, features=features, measure="MAP@10")
        assert better.results is not None
        assert found.values == better.results.first_repeat().values  # the order is better on every fold
        others = candidates(parts[0][0].training)
    with nested_folds(run, [SYSTEM], features, folds=2, repeats=1, seed=2, among=fold_number(2, 1) != 0) as parts_of:
        for part in parts_of(SYSTEM)[0]:
            learned, evaluated = candidates(part.training), candidates(part.evaluated)
            assert learned
            assert evaluated
            assert learned | evaluated == others


@pytest.mark.slow
def test_systems_are_compared_by_cross_validation_with_the_best_one(run: Run) -> None:
    order = System(
        name="order",
        task="question_comment",
        about="For tests.",
        ranker=by_rank(ascending=True),
    )
    systems, tried = [order, UNFITTED], ExperimentSettings(repeats=2, folds=2)
    rows = CrossValidate(systems, FAST, FeatureSettings(folds=2), tried).entries(run, systems)
    found = {row["system"]: row for row in rows}
    best, other = found["unfitted"], found["order"]
    assert (best["best"], best["difference"], best["p_value"]) == ("unfitted", 0.0, 1.0)
    assert other["spread"] == 0.0  # an order that learns nothing does not depend on the folds
    assert other["difference"] == pytest.approx(other["value"] - best["value"])
    assert best["low"] < best["value"] < best["high"]


def test_more_threads_are_learned_from_and_the_last_point_is_the_full_system(run: Run) -> None:
    found = LearningCurve([SYSTEM], FAST, FeatureSettings(folds=2), (0.4,)).of_system(run, SYSTEM)
    rows = sorted(found, key=lambda entry: entry["share"])
    training = run.read(EXAMPLES).where("task = 'question_comment' and split = 'train' and relevant is not null")
    counts = training.agg(F.count_distinct("fold_key"), F.count("*")).first()
    assert [row["share"] for row in rows] == [0.4, 1.0]
    assert (rows[1]["threads"], rows[1]["examples"]) == tuple(counts or ())
    assert 0 < rows[0]["threads"] < rows[1]["threads"]
    assert (rows[1]["difference"], rows[0]["difference"]) == (0.0, rows[0]["value"] - rows[1]["value"])
    small, large = (training.where(in_share(share)).select("fold_key").distinct() for share in (0.4, 0.7))
    assert small.exceptAll(large).isEmpty()


def test_other_seeds_draw_other_rows_and_a_deterministic_ranker_is_not_trained_again(run: Run) -> None:
    parameters = {"objective": "classification", "trees": 5, "row_share": 0.3, "seed": 7}
    trees = SYSTEM.model_copy(update={"ranker": RankerSpec(name="boosted_trees", parameters=parameters)})
    step = OtherSeeds([trees, SYSTEM], FAST, HeldOut(), seeds=2)
    found = sorted(step.of_system(run, trees), key=lambda entry: entry["draw"])
    assert [(row["system"], row["split"], row["draw"]) for row in found] == [
        ("small", "dev", draw) for draw in range(2)
    ]
    assert len({row["value"] for row in found}) > 1
    assert step.of_system(run, SYSTEM) == []


@pytest.mark.slow
def test_tuning_writes_parameters_and_leaves_the_run_alone(
    question_comment_run: GoldenRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = len(RunLog(question_comment_run.lake.objects).records())
    tuned, log = tmp_path / "tuned.yaml", tmp_path / "mlflow.db"
    monkeypatch.setenv(
        "CQA_HOME", str(make_home(tmp_path / "home", systems=[UNFITTED.model_dump(mode="json", exclude_defaults=True)]))
    )
    monkeypatch.setattr(
        tuning,
        "cross_validate_choice",
        lambda run, system, trials, outer, *, measure, **_: trials[1].cross_validated([outer], measure).results,
    )
    run = ["--lake", question_comment_run.root, "--run-id", "r1", "--system", "unfitted"]
    few = ["--nested", "--budget", "1", "--repeats", "2", "--folds", "2", "--evaluation.resamples", "99"]
    assert main(["tune", *run, *few, "--tuned", str(tuned), "--tracking.uri", f"sqlite:///{log}"]) == 0
    first = capsys.readouterr()
    assert [line.split()[0] for line in first.err.splitlines() if "MAP@10" in line] == ["given", "trial"]
    assert yaml.safe_load(tuned.read_text(encoding="utf-8"))["ranker"]["name"] == "logistic_regression"
    assert "Nested cross-validation, where each fold is ranked by the choice of the other folds: MAP@10 " in first.out
    assert "keep" in first.out or "is better" in first.out
    assert len(RunLog(question_comment_run.lake.objects).records()) == before

    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{log}")
    (experiment,) = [each for each in client.search_experiments() if each.name == "cqa-spark"]
    runs = client.search_runs([experiment.experiment_id])
    parents = {each.data.tags.get("mlflow.parentRunId") for each in runs}
    assert len(runs) == 3
    assert len(parents - {None}) == 1
    nested = [each.data.metrics for each in runs if "mlflow.parentRunId" in each.data.tags]
    assert all({"mean", "spread", "repeat"} == set(metrics) for metrics in nested)
