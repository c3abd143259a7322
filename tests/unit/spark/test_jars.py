"""The jars: resolving them, with a resolver that is made up, and what is in the installed ones."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pyspark
import pytest
from refusals import refusal

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.settings.conf_files import jars_folder, project_root
from cqa_spark.spark import jars
from cqa_spark.spark.jars import OF_ANOTHER_SPARK, check_java, leave_other_spark_aside, variables_of_another_spark

FAILED = """:: problems summary ::
Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: a#b;1.0: not found]
\tat org.apache.spark.util.MavenUtils$.resolveMavenCoordinates(MavenUtils.scala:459)
\t... 11 more
"""


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jars, "check_java", lambda: None)
    monkeypatch.setattr(jars, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(jars, "jars_folder", lambda: tmp_path / "jars")


def test_a_failure_gives_the_first_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1, "", FAILED))
    with pytest.raises(EnvironmentProblem) as caught:
        jars.resolve_jars()
    assert caught.value.problem.endswith("could not be resolved: [unresolved dependency: a#b;1.0: not found]")
    assert (tmp_path / "cache" / "ivy" / "resolve.log").read_text() == FAILED


def test_installations_at_a_time_take_turns_and_leave_no_downloads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    resolving = Lock()

    def retrieve(cache: Path, packages: Sequence[str]) -> Path:
        assert resolving.acquire(blocking=False)
        folder = cache / "jars"
        folder.mkdir()
        (folder / "a.jar").write_bytes(b"a")
        resolving.release()
        return folder

    monkeypatch.setattr(jars, "_retrieve", retrieve)
    monkeypatch.setattr(jars, "check_hashes", lambda *_: None)
    with ThreadPoolExecutor(4) as pool:
        found = [each.result() for each in [pool.submit(jars.resolve_jars) for _ in range(8)]]
    assert {tuple(path.name for path in each) for each in found} == {("a.jar",)}
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["setup.lock"]


def test_the_progress_counts_jars_and_bytes(tmp_path: Path) -> None:
    for name, size in {"a/b/jars/b-1.jar": 48_000_000, "a/c/jars/c-2.jar.part": 1_500_000, "a/b/ivy-1.xml": 9}.items():
        path = tmp_path / "cache" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.truncate(path, size)
    assert jars._progress(tmp_path, 10) == "downloading jars: 1 of 10, 49.5 MB"


def classes(folder: Path) -> set[str]:
    names = (name for jar in folder.glob("*.jar") for name in zipfile.ZipFile(jar).namelist())
    return {name for name in names if name.endswith(".class")}


def test_no_jar_has_a_class_that_spark_has() -> None:
    """One of the two would win by its position on the class path, which differs between a laptop and a cluster."""
    marker = {"org/apache/spark/unused/UnusedStubClass.class"}  # an empty class in all jars of Spark's build
    assert classes(jars_folder()) & classes(Path(pyspark.__file__).parent / "jars") <= marker


def test_the_installed_jars_are_those_of_the_recorded_hashes() -> None:
    hashes = (project_root() / jars.HASHES).read_text(encoding="utf-8")
    assert refusal(jars.check_hashes, jars_folder(), hashes) is None


@pytest.mark.parametrize(
    ("line", "core", "is_refused"),
    [
        ("3.5", "spark-core_2.12-3.5.6.jar", False),
        ("3.5", "spark-core_2.13-4.0.1.jar", True),
        ("4", "spark-core_2.13-4.0.1.jar", False),
        ("4", "spark-core_2.12-3.5.6.jar", True),
    ],
)
def test_a_spark_of_the_other_line_is_refused(
    line: str, core: str, is_refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jars, "LINE", line)
    monkeypatch.setattr(jars, "SCALA", {"3.5": "2.12", "4": "2.13"}[line])
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / core).touch()
    assert (refusal(jars.check_line, str(tmp_path)) is not None) == is_refused
    jars.check_line("")


# Which Java is taken and which is refused; the programs are scripts that answer as Java does.

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


@pytest.mark.parametrize(("is_local", "python"), [(True, None), (False, "/opt/python3")])
def test_variables_of_another_spark_are_left_aside(
    monkeypatch: pytest.MonkeyPatch, is_local: bool, python: str | None
) -> None:
    """On other machines, the variable says where the Python of the workers is."""
    ours = str(Path(pyspark.__file__).parent)
    monkeypatch.setenv("SPARK_HOME", ours)
    monkeypatch.setenv("SPARK_CONF_DIR", "/etc/spark")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master yarn pyspark-shell")
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/python3")
    leave_other_spark_aside(is_local=is_local)
    assert {name: os.environ.get(name) for name in OF_ANOTHER_SPARK} == {
        "SPARK_HOME": ours,
        "SPARK_CONF_DIR": None,
        "PYSPARK_SUBMIT_ARGS": None,
        "PYSPARK_PYTHON": python,
    }


def test_the_python_of_this_process_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    assert "PYSPARK_PYTHON" not in variables_of_another_spark()
