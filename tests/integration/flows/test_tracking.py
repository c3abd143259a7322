"""MLflow is told of a run; a server that is not there costs a warning."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import mlflow
import pytest

from cqa_spark.config.tracking_settings import TrackingSettings
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.runtime.tracking import track

RECORD = RunRecord("r1", "succeeded", "run", config_hash="c0ffee", config="task: x\n", code_version="0")


def test_parameters_measures_and_files_are_logged(tmp_path: Path) -> None:
    report = tmp_path / "r1.html"
    report.write_text("<!doctype html>")
    settings = TrackingSettings(uri=f"sqlite:///{tmp_path / 'mlflow.db'}", experiment="test")
    assert track(RECORD, settings, {"task": "x"}, {"best_a/MAP_at_10": 0.5}, {"report": str(report)})
    (run,) = mlflow.search_runs(experiment_names=["test"], output_format="list")
    assert run.data.params == {"task": "x"}
    assert run.data.metrics == {"best_a/MAP_at_10": 0.5}
    assert run.data.tags["run_id"] == "r1"


def test_a_server_that_is_not_there_costs_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    settings = TrackingSettings(uri=f"http://127.0.0.1:{port}", experiment="test")
    assert not track(RECORD, settings, {}, {}, {})
    assert "was not tracked in MLflow" in capsys.readouterr().err


def test_a_full_disk_ends_the_job_with_what_to_do(tmp_path: Path, small_disk: Path) -> None:
    """MLflow's database does not fit on it."""
    settings = TrackingSettings(uri=f"sqlite:///{small_disk / 'mlflow.db'}", experiment="test")
    with pytest.raises(EnvironmentProblem, match=re.escape(settings.uri)) as raised:
        track(RECORD, settings, {}, {}, {})
    assert "no space left on the disk" in raised.value.problem
    assert raised.value.remedy.startswith("free space there")
