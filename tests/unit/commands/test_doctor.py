import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pyspark
import pytest
from packaging.requirements import Requirement
from pyspark.sql import SparkSession

from cqa_spark.commands import doctor
from cqa_spark.commands.doctor import Doubt, Finding, examine
from cqa_spark.commands.doctor_services import examine_cluster, examine_storage, examine_tracking, reach
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.folder import Folder
from cqa_spark.settings.sections import ObjectStorageSettings, TrackingSettings
from cqa_spark.spark.jars import LINE, OF_ANOTHER_SPARK, hash_lines


def failing(error: Exception) -> Finding:
    def probe() -> str:
        raise error

    return examine("check", probe)


def test_a_check_ends_in_a_finding_whatever_happens() -> None:
    assert examine("check", lambda: "all well") == Finding("check", "ok", "all well")
    assert failing(Doubt("slow", "wait")) == Finding("check", "warning", "slow", "wait")
    assert failing(EnvironmentProblem("no Java", "install it")) == Finding("check", "failed", "no Java", "install it")
    assert failing(ValueError("first\nsecond")).found == "ValueError: first"


class TestMachine:
    def test_python(self) -> None:
        assert doctor.python_version("3.12.1").startswith("Python 3.12.1, ")
        with pytest.raises(EnvironmentProblem, match=r"Python 3\.14\.0 instead of <3\.14,>=3\.11"):
            doctor.python_version("3.14.0")

    def test_variables_of_another_spark(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in OF_ANOTHER_SPARK:
            monkeypatch.delenv(name, raising=False)
        assert doctor.environment() == "no variable of another Spark"
        monkeypatch.setenv("SPARK_HOME", str(Path(pyspark.__file__).parent))
        assert doctor.environment() == "no variable of another Spark"
        monkeypatch.setenv("SPARK_HOME", "/opt/spark")
        finding = examine("environment", doctor.environment)
        assert (finding.verdict, finding.found) == ("warning", "SPARK_HOME=/opt/spark is of another Spark")

    def test_packages(self) -> None:
        with pytest.raises(EnvironmentProblem, match=r"no-such \(absent\) instead of ~=1\.0"):
            doctor.packages([Requirement("no-such~=1.0")])
        assert doctor.packages(doctor._needed()).startswith("all ")

    def test_jars(self, tmp_path: Path) -> None:
        (tmp_path / "one-1.0.jar").write_bytes(b"one")
        (tmp_path / "two-2.jar").write_bytes(b"two")
        expected = hash_lines(tmp_path.glob("*.jar"))
        assert doctor.jars(tmp_path, expected) == f"2 for Spark {LINE} in {tmp_path}"
        (tmp_path / "one-1.0.jar").unlink()
        (tmp_path / "two-2.jar").write_bytes(b"another")
        with pytest.raises(EnvironmentProblem, match=r"not those of .*: one-1\.0\.jar, two-2\.jar\n"):
            doctor.jars(tmp_path, expected)

    @pytest.mark.parametrize(("free", "verdict"), [(10**11, "ok"), (2 * 10**9, "warning"), (10**8, "failed")])
    def test_space(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, verdict: str) -> None:
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
        finding = examine("space", lambda: doctor.space(tmp_path))
        assert (finding.verdict, finding.found.split(",")[0]) == (verdict, f"{free / 1e9:.1f} GB free in {tmp_path}")


class Careless(Folder):
    """A storage that knows nothing of conditions, as old S3 servers do."""

    def create(self, key: str, data: bytes) -> str:
        self.put(key, data)
        return ""


class TestStorage:
    def test_a_good_one(self, tmp_path: Path) -> None:
        findings = list(examine_storage(Folder(str(tmp_path)), "trial"))
        assert [finding.check.removeprefix("storage: ") for finding in findings] == [
            "write", "read", "list", "create once", "replace once", "upload in parts", "delete", "commit to a table",
        ]  # fmt: skip
        assert {finding.verdict for finding in findings} == {"ok"}
        assert list(tmp_path.iterdir()) == []

    def test_one_that_keeps_no_two_writers_apart(self, tmp_path: Path) -> None:
        last = list(examine_storage(Careless(str(tmp_path)), "trial"))[-1]
        assert (last.check, last.verdict) == ("storage: create once", "failed")
        assert "If-None-Match" in last.remedy

    def test_one_that_is_not_there(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        (finding,) = examine_storage(Folder(str(tmp_path / "file/lake")), "trial")
        assert finding.verdict == "failed"


class TestCluster:
    @pytest.fixture
    def port(self) -> Iterator[int]:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            yield listening.getsockname()[1]

    def test_one_of_several_masters_is_enough(self, port: int) -> None:
        assert reach(f"spark://127.0.0.1:1,127.0.0.1:{port}") == f"127.0.0.1:{port}"

    def test_without_a_master_spark_is_not_started(self) -> None:
        (finding,) = examine_cluster(
            "spark://127.0.0.1:1", lambda: pytest.fail("started"), None, ObjectStorageSettings()
        )
        assert finding.check == "Spark master"
        assert finding.found == "no Spark master answers: 127.0.0.1:1: Connection refused"

    def test_spark_that_does_not_start(self) -> None:
        def start() -> SparkSession:
            raise EnvironmentProblem("no jars", "run `make setup`")

        (finding,) = examine_cluster("local[2]", start, None, ObjectStorageSettings())
        assert finding == Finding("Spark", "failed", "no jars", "run `make setup`")


def test_a_tracking_server_that_is_not_there_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def client(uri: str) -> None:
        assert os.environ["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] == "0"
        raise ConnectionError("refused")

    monkeypatch.setitem(sys.modules, "mlflow", SimpleNamespace(MlflowClient=client))
    (finding,) = examine_tracking(TrackingSettings(uri="http://server"))
    assert (finding.verdict, finding.found) == ("warning", "http://server: refused")
    assert "MLFLOW_HTTP_REQUEST_MAX_RETRIES" not in os.environ


def test_a_tracking_file_is_not_created(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (finding,) = examine_tracking(TrackingSettings())
    assert finding == Finding("MLflow", "ok", "sqlite:///mlflow.db: the first run creates the file")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    (finding,) = examine_tracking(TrackingSettings(uri="sqlite:///file/mlflow.db"))
    assert (finding.verdict, finding.found) == ("warning", f"file/mlflow.db cannot be created in {tmp_path / 'file'}")


def test_tracking_that_is_off_is_not_asked_for() -> None:
    assert list(examine_tracking(TrackingSettings(enabled=False))) == []


def test_findings_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [Finding("Java", "ok", "Java 17"), Finding("jars", "failed", "none", "run `make setup`")]
    assert doctor.print_findings(findings, as_json=False) == findings
    assert capsys.readouterr().out == ("ok      Java: Java 17\nFAILED  jars: none\n          → run `make setup`\n")
    doctor.print_findings(findings, as_json=True)
    assert json.loads(capsys.readouterr().out)[1] == {
        "check": "jars", "verdict": "failed", "found": "none", "remedy": "run `make setup`",
    }  # fmt: skip
