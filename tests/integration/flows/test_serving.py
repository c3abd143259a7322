"""``mlflow models serve`` with the model of a published run: the command and request of the documentation."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3
from golden.run import GoldenRun
from standalone import HERE, free_port

from cqa_spark.runtime.mlflow import track
from cqa_spark.settings.sections import TrackingSettings

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "read-results.md"
STARTING = urllib3.Retry(total=600, backoff_factor=0.5, backoff_max=0.5)
"""Five minutes of refused connections."""


@pytest.mark.more
def test_mlflow_serves_the_model_of_a_published_run(question_comment_run: GoldenRun, tmp_path: Path) -> None:
    """The server has no recipe of the system's name: all is in the model."""
    page = PAGE.read_text(encoding="utf-8")
    serve, request = re.search(r"^mlflow (models serve .*)$", page, re.M), re.search(r"^ +-d '([^']+)'$", page, re.M)
    assert serve
    assert request
    settings = TrackingSettings(uri=f"sqlite:///{tmp_path / 'mlflow.db'}", experiment="test")
    track(question_comment_run.snapshot, settings)
    programs, port = str(Path(sys.executable).parent), str(free_port())
    command = [f"{programs}/mlflow", *serve[1].replace("best_a", "learned").split(), "--port", port]
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"MLFLOW_TRACKING_URI": str(settings.uri), "PATH": path}
    with (tmp_path / "server.log").open("w") as log, subprocess.Popen(command, env=environment, stderr=log) as server:
        try:
            urllib3.request("GET", f"http://{HERE}:{port}/ping", retries=STARTING)
            json_body = {"Content-Type": "application/json"}
            url = f"http://{HERE}:{port}/invocations"
            answer = urllib3.request("POST", url, body=request[1], headers=json_body, timeout=300, retries=False)
        finally:
            server.terminate()
    assert answer.status == 200, answer.data
    ranked = answer.json()["predictions"]
    assert [(row["query_id"], row["candidate_id"]) for row in ranked] == [("q1", "a"), ("q1", "b")]
    assert sorted(row["rank"] for row in ranked) == [1, 2]
