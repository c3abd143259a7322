"""The experiment on an invented site finds what its generator hid."""

from pathlib import Path

import mlflow
import pytest
from homes import make_home, metadata_systems
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.experiments.ablation import AblateFamilies
from cqa_spark.experiments.experiment import HeldOut
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.studies import TRIALS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.settings.sections import EvaluationSettings
from cqa_spark.synth.stackexchange.dump import write_dump
from cqa_spark.systems.recipes import read_systems

SYSTEM = "metadata_logistic_snapshot"
GROUPS = ("basic_u", "u_tags", "badges")

pytestmark = [pytest.mark.more, pytest.mark.usefixtures("at_home")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_home(tmp_path_factory.mktemp("home") / "home", systems=metadata_systems(*GROUPS))


@pytest.fixture(scope="module")
def found(spark: SparkSession, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("planted")
    dump = write_dump(folder, site="planted.example.org", threads=1200, seed=7, workers=1).folder
    lake = Lake(spark, str(folder / "lake"))
    tables = ["posts", "users", "comments", "votes", "badges", "post_links"]
    assert main(["ingest", "stackexchange", "--input", str(dump), "--lake", lake.root, "--tables", *tables]) == 0
    chosen = ["--all-sites", "--min-answers", "2", "--rankers", "logistic", "--studied", "logistic", "--budget", "1",
              "--protocol", "xu2018"]  # fmt: skip
    command = ["experiment", "preferred-answer", "--lake", lake.root, "--run-id", "e", *chosen]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQA_HOME", str(home))
        assert main([*command, "--no-ablation", "--no-transfer", "--evaluation.resamples", "99"]) == 0
    return Snapshot(lake, RunLog(lake.objects).require_success("e"))


def test_groups_are_worth_what_was_planted(found: Snapshot) -> None:
    """Skill of authors is planted, and shows in what they are; badges are given without regard to anything.

    On some 70 questions a group that is left out says nothing: those that stay stand in for it.
    """
    (whole,) = read_systems([SYSTEM])
    run = Run(found.lake, found.record, on_step=lambda step: None, before=found.manifest)
    settings = EvaluationSettings(measures=("P@1",), resamples=999)
    rows = AblateFamilies([whole], settings, HeldOut("split = 'test'")).of_system(run, whole)
    alone = {row["family"]: row["value"] for row in rows if row["variant"] == "only"}
    assert alone["user"] > alone["badges"] + 0.15
    assert alone["user_tags"] > alone["badges"] + 0.05


def test_parameters_are_chosen_on_the_validation_part_and_all_trials_are_kept(found: Snapshot) -> None:
    trials = sorted((e for e in found.entries(TRIALS) if e["system"] == SYSTEM), key=lambda e: e["trial"])
    assert [row["trial"] for row in trials] == ["given", "trial 1"]
    assert {row["split"] for row in trials} == {"dev"}
    best = max(trials, key=lambda row: (round(row["value"], 9), row["trial"] == "given"))
    assert [row["trial"] for row in trials if row["chosen"]] == [best["trial"]]
    page = Path(found.record.artifacts["report"]).read_text(encoding="utf-8")
    assert "Tuning" in page


def test_mlflow_is_told_of_the_run_and_of_every_trial(found: Snapshot) -> None:
    mlflow.set_tracking_uri(f"sqlite:///{found.lake.root}.mlflow.db")
    runs = mlflow.search_runs(experiment_names=["cqa-spark"], output_format="list")
    runs = [run for run in runs if "system" not in run.data.tags]
    names = sorted(run.info.run_name for run in runs)
    assert names == sorted(["e", f"tune {SYSTEM}", "tune metadata_logistic_asof", *["given", "trial 1"] * 2])
    (whole,) = (run for run in runs if run.info.run_name == "e")
    assert f"{SYSTEM}/P_at_1" in whole.data.metrics
