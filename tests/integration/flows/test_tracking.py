"""MLflow is told of a run; a server that is not there costs a warning."""

import json
import re
import socket
from pathlib import Path

import mlflow
import pandas as pd
import pytest
from golden.run import GoldenRun
from small_runs import finished, lake_at, opened, published

import cqa_spark as cqa
from cqa_spark.cli import main
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.lake.run_log import InputRecord, RecordedScore
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.runtime.mlflow import track, tracked
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.sections import TrackingSettings


def settings_of(folder: Path) -> TrackingSettings:
    return TrackingSettings(uri=f"sqlite:///{folder / 'mlflow.db'}", experiment="test")


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a server that is not there."""
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{closed.getsockname()[1]}"


def test_a_run_is_a_parent_with_a_child_for_each_system(tmp_path: Path) -> None:
    lake = lake_at(tmp_path / "lake")
    with opened(lake, "r1") as run:
        lake.objects.put("runs/r1.1/report.html", b"<!doctype html>")
        run.add_artifact("report", run.artifact_path("report.html"))
        run.add_inputs([InputRecord(str(tmp_path / "train.xml"), "train", 3, "ab" * 32)])
        run.add_scores([RecordedScore("best_a", "MAP@10", 0.5, 0.4, 0.6), RecordedScore("length", "MAP@10", 0.3)])
    track(snapshot_of(lake, "r1"), settings_of(tmp_path))
    runs = {run.info.run_name: run for run in mlflow.search_runs(experiment_names=["test"], output_format="list")}
    parent = runs["r1"]
    assert parent.data.params == {"task": "x", "config_hash": "c0ffee"}
    record = snapshot_of(lake, "r1").record
    assert record.started_at is not None
    assert record.ended_at is not None
    times = [round(time.timestamp() * 1000) for time in (record.started_at, record.ended_at)]
    assert [parent.info.start_time, parent.info.end_time, parent.info.status] == [*times, "FINISHED"]
    assert parent.data.metrics == {"best_a/MAP_at_10": 0.5, "length/MAP_at_10": 0.3}
    assert (parent.data.tags["run_id"], parent.data.tags["lake"]) == ("r1", lake.root)
    [logged] = parent.inputs.dataset_inputs
    assert (logged.dataset.name, logged.dataset.digest, logged.tags[0].value) == ("train.xml", "ab" * 16, "train")
    assert runs["best_a"].data.metrics == {"MAP_at_10": 0.5, "MAP_at_10_low": 0.4, "MAP_at_10_high": 0.6}
    assert runs["length"].data.metrics == {"MAP_at_10": 0.3}
    assert {runs[name].data.tags["mlflow.parentRunId"] for name in ("best_a", "length")} == {parent.info.run_id}


def test_the_model_of_a_published_run_ranks_pairs(
    question_comment_run: GoldenRun, at_home: None, tmp_path: Path
) -> None:
    track(question_comment_run.snapshot, settings_of(tmp_path))
    folder = mlflow.artifacts.download_artifacts("models:/cqa-spark.learned@published", dst_path=str(tmp_path))
    pairs = pd.DataFrame(
        {
            "query_id": ["q", "q"],
            "query": ["Where can I buy a used car?"] * 2,
            "candidate_id": ["a", "b"],
            "candidate": ["Try the dealers near the airport, they sell a used car.", "thanks"],
        }
    )
    ranked = cqa.rank(pairs, model=folder)
    assert ranked["candidate_id"].tolist() == ["a", "b"]
    assert sorted(ranked["rank"]) == [1, 2]
    track(question_comment_run.snapshot, settings_of(tmp_path))
    assert len(mlflow.MlflowClient().search_model_versions("name = 'cqa-spark.learned'")) == 1


def test_publishing_a_run_again_gives_its_models_the_alias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, settings = lake_at(tmp_path / "lake"), settings_of(tmp_path)
    for run_id in ("r1", "r2"):
        with opened(lake, run_id) as run:
            folder = f"runs/{run.record.attempt_name}/models/model/best_a"
            recipe = {
                "name": "best_a",
                "about": "Trees.",
                "ranker": {"name": "boosted_trees", "parameters": {"depth": 3}},
            }
            lake.objects.put(f"{folder}/system.json", json.dumps({"system": recipe}).encode())
            lake.objects.put(f"{folder}/ranker/model.json", b'{"training": {"queries": 3}}')
            run.add_artifact("model/best_a", run.artifact_path("models", "model", "best_a"))
            simple = f"runs/{run.record.attempt_name}/models/model/length"
            lake.objects.put(f"{simple}/system.json", b'{"system": {"name": "length"}}')
            lake.objects.put(f"{simple}/ranker/model.json", b'{"training": null}')
            run.add_artifact("model/length", run.artifact_path("models", "model", "length"))
        published(lake, run_id)
        track(snapshot_of(lake, run_id), settings)
    assert [model.name for model in mlflow.search_registered_models()] == ["cqa-spark.best_a"]
    child = mlflow.search_runs(experiment_names=["test"], filter_string="attributes.run_name = 'best_a'").iloc[0]
    assert (child["params.ranker.name"], child["params.ranker.parameters.depth"]) == ("boosted_trees", "3")
    versions = [mlflow.MlflowClient().get_model_version_by_alias("cqa-spark.best_a", "published").version]
    monkeypatch.setenv("MLFLOW_TRACKING_URI", settings.uri)
    assert main(["runs", "rollback", "--lake", lake.root]) == 0
    versions.append(mlflow.MlflowClient().get_model_version_by_alias("cqa-spark.best_a", "published").version)
    assert list(map(str, versions)) == ["2", "1"]
    assert mlflow.MlflowClient().get_model_version("cqa-spark.best_a", "1").description == "Trees."


def test_a_server_that_is_not_there_costs_a_warning_before_the_work_and_after_it(
    tmp_path: Path, no_server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = lake_at(tmp_path / "lake")
    finished(lake, "r1", a="x")
    dumps = {"input": (str(tmp_path),)}
    settings = NightlySettings(lake=lake.root, dumps=dumps, tracking={"uri": no_server})
    with tracked(settings) as log:
        assert f"warning: the tracking server {no_server} does not answer" in capsys.readouterr().err
        log(snapshot_of(lake, "r1"))
    assert "was not tracked in MLflow" in capsys.readouterr().err


def test_a_full_disk_ends_the_job_with_what_to_do(tmp_path: Path, small_disk: Path) -> None:
    """MLflow's database does not fit on it."""
    lake = lake_at(tmp_path / "lake")
    finished(lake, "r1", a="x")
    settings = settings_of(small_disk)
    with pytest.raises(EnvironmentProblem, match=re.escape(settings.uri)) as raised:
        track(snapshot_of(lake, "r1"), settings)
    assert "no space left on the disk" in raised.value.problem
    assert raised.value.remedy.startswith("free space there")
