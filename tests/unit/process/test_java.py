"""Which Java is taken and which is refused; the programs are scripts that answer as Java does."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from refusals import refusal

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.spark.jars import OF_ANOTHER_SPARK, check_java, leave_other_spark_aside

REPOSITORY = Path(__file__).resolve().parents[3]


def install_java(folder: Path, banner: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{banner}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    return folder


def test_java_17_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(tmp_path, 'openjdk version "17.0.15" 2025-04-15')))
    assert refusal(check_java) is None


@pytest.mark.parametrize(
    ("banner", "found"),
    [
        ('java version "1.8.0_392"', "Java 8"),
        ('openjdk version "11.0.22" 2024-01-16', "Java 11"),
        ('openjdk version "24" 2025-03-18', "Java 24"),
        ("what?", "a program without a Java version"),
    ],
)
def test_another_java_is_refused_by_name(
    banner: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(tmp_path, banner)))
    with pytest.raises(EnvironmentProblem, match=f"{tmp_path}/bin/java is {found}") as error:
        check_java()
    assert "install Java 17" in error.value.remedy


@pytest.mark.parametrize("java_home", ["", "/nowhere"])
def test_no_java_is_said_so(java_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", java_home)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="none was found"):
        check_java()


@pytest.mark.skipif(sys.platform == "win32", reason="has no execute permission")
@pytest.mark.parametrize(
    ("content", "mode", "reason"),
    [
        ("#!/bin/sh\n", 0o644, "cannot be executed: Permission denied"),
        ("\0not a program", 0o755, "cannot be executed: Exec format error"),
        ("#!/nowhere/sh\n", 0o755, "cannot be executed: No such file or directory"),
        ("#!/bin/sh\necho 'Error: no libjvm.so' >&2; exit 1\n", 0o755, "failed with exit code 1: Error: no libjvm.so"),
        ("#!/bin/sh\nkill -9 $$\n", 0o755, "failed with exit code -9: "),
    ],
)
def test_a_broken_java_is_refused_with_the_reason(
    content: str, mode: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(content, encoding="utf-8")
    java.chmod(mode)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EnvironmentProblem) as error:
        check_java()
    assert str(java) in error.value.problem
    assert error.value.problem.endswith(reason)
    assert "install Java 17" in error.value.remedy


def test_a_java_that_gives_no_answer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(tmp_path, "")))

    def run(command: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(EnvironmentProblem, match="java -version has not answered for 60 s"):
        check_java()


def test_spark_submit_refuses_a_broken_java_before_spark_starts(tmp_path: Path) -> None:
    install_java(tmp_path, 'java version "1.8.0_392"')
    environment = {**os.environ, "JAVA_HOME": str(tmp_path)}
    command = [str(REPOSITORY / "spark-submit.sh"), "doctor"]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 4
    assert answer.stderr.startswith(f"cqa: Spark needs Java 17, and {tmp_path}/bin/java is Java 8\n  → install Java 17")


def test_variables_of_another_spark_are_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = str(Path(pyspark.__file__).parent)
    monkeypatch.setenv("SPARK_HOME", ours)
    monkeypatch.setenv("SPARK_CONF_DIR", "/etc/spark")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master yarn pyspark-shell")
    leave_other_spark_aside()
    assert {name: os.environ.get(name) for name in OF_ANOTHER_SPARK} == {
        "SPARK_HOME": ours,
        "SPARK_CONF_DIR": None,
        "PYSPARK_SUBMIT_ARGS": None,
    }
