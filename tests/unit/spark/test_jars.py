"""Resolving jars, with a resolver that is made up."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

from cqa_spark.errors import EnvironmentProblem
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


def test_installations_at_a_time_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving = Lock()

    def retrieve(cache: Path) -> Path:
        assert resolving.acquire(blocking=False)
        folder = cache / "jars"
        folder.mkdir(exist_ok=True)
        (folder / "a.jar").write_bytes(b"a")
        resolving.release()
        return folder

    monkeypatch.setattr(jars, "_retrieve", retrieve)
    monkeypatch.setattr(jars, "check_hashes", lambda *_: None)
    with ThreadPoolExecutor(4) as pool:
        found = [each.result() for each in [pool.submit(jars.resolve_jars) for _ in range(8)]]
    assert {tuple(path.name for path in each) for each in found} == {("a.jar",)}
