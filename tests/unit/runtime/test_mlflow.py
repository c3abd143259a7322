"""A logged run opens no address but the tracking server's; a process of its own, since MLflow spares pytest."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[3]

# MLflow sends no telemetry where it takes the process for a test or for continuous integration.
SPARED = ("PYTEST_", "CI", "GITHUB_", "GITLAB_", "BUILD", "RUNBOT_", "MLFLOW_", "DO_NOT_TRACK")

LOG_A_RUN = """
import sys, time
opened = []
ADDRESSES = {"socket.connect": lambda event: event[1], "socket.getaddrinfo": lambda event: event[:2]}
sys.addaudithook(lambda name, event: opened.append(ADDRESSES[name](event)) if name in ADDRESSES else None)

from cqa_spark.settings.sections import TrackingSettings
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.run_log import RecordedScore, RunRecord
from cqa_spark.lake.lake import Lake
from cqa_spark.runtime.mlflow import track

record = RunRecord("r1", "succeeded", "run", config_hash="c0ffee", config="task: x", code_version="0",
                   scores=(RecordedScore("a", "MAP", 0.5),))
track(Snapshot(Lake(None, sys.argv[2]), record), TrackingSettings(uri=sys.argv[1], experiment="test"))
time.sleep(1)  # telemetry is sent by a thread
print({address[:2] for address in opened if isinstance(address, tuple)})
"""


class Server(BaseHTTPRequestHandler):
    """As much of a tracking server as logging a run takes; its artifacts are in a local folder."""

    artifacts: str

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer()

    def _answer(self) -> None:
        experiment = {"experiment_id": "1", "name": "test", "lifecycle_stage": "active"}
        info = {"run_id": "1", "run_uuid": "1", "experiment_id": "1", "status": "RUNNING", "lifecycle_stage": "active"}
        run = {"info": {**info, "artifact_uri": self.artifacts}, "data": {}}
        topic = urlsplit(self.path).path.split("/mlflow/")[-1].split("/")[0]
        body = {"experiments": {"experiment": experiment}, "runs": {"run": run, "run_info": run["info"]}}.get(topic, {})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    handler = type("Here", (Server,), {"artifacts": tmp_path.as_uri()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield "127.0.0.1", running.server_port
        running.shutdown()


def test_a_logged_run_opens_no_address_but_that_of_the_tracking_server(server: tuple[str, int], tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(SPARED)}
    command = [sys.executable, "-c", LOG_A_RUN, f"http://{server[0]}:{server[1]}", str(tmp_path / "lake")]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "not tracked" not in done.stderr
    assert done.stdout.strip().splitlines()[-1] == str({server})
