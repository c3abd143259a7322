"""The jars: resolving them, with a resolver that is made up, and what is in the installed ones."""

import os
import subprocess
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
