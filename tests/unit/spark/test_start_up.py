import importlib.util
import sys
from pathlib import Path

import pytest

from cqa_spark.spark.start_up import IMPORTED_BY_TASKS, ErrorsOfWorkers, archive_options, make_archive, without_archives

WRITES_AN_ARCHIVE = """
import os, pathlib, shlex, sys
first, *_ = shlex.split(os.environ["SPARK_SUBMIT_OPTS"])
pathlib.Path(first.removeprefix("-XX:ArchiveClassesAtExit=")).write_bytes(b"classes")
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "the project's home"
    monkeypatch.setenv("CQA_HOME", str(home))
    (home / ".jars").mkdir(parents=True)
    return home / ".jars" / "classes.jsa"


def test_java_is_given_the_archive_that_is_there(archive: Path) -> None:
    assert archive_options() == ()
    archive.write_bytes(b"classes")
    assert archive_options()[0] == f"-XX:SharedArchiveFile={archive}"


def test_a_command_archives_the_classes_that_it_loads(archive: Path) -> None:
    archive.write_bytes(b"an earlier installation's")
    assert make_archive([sys.executable, "-c", WRITES_AN_ARCHIVE, "0"]) == archive
    assert archive.read_bytes() == b"classes"


@pytest.mark.parametrize("command", [[WRITES_AN_ARCHIVE, "1"], ["pass"]], ids=["fails", "writes none"])
def test_there_is_no_archive_of_a_command_that(archive: Path, command: list[str]) -> None:
    archive.write_bytes(b"an earlier installation's")
    assert make_archive([sys.executable, "-c", *command]) is None
    assert list(archive.parent.iterdir()) == []


def test_an_import_path_keeps_its_folders_in_order() -> None:
    path = ["", "/spark/python/lib/pyspark.zip", "/spark/jars/spark-core_2.12-3.5.8.jar", "/code", "/site-packages"]
    assert without_archives(path) == ["", "/code", "/site-packages"]


def test_workers_are_copies_of_a_process_with_the_modules_of_tasks() -> None:
    for module in IMPORTED_BY_TASKS:
        assert importlib.util.find_spec(module), module


@pytest.mark.parametrize(("error", "printed"), [(EOFError(), ""), (ValueError("no"), "ValueError: no\n")])
def test_the_end_of_a_workers_input_is_not_printed(
    capsys: pytest.CaptureFixture[str], error: Exception, printed: str
) -> None:
    try:
        raise error
    except Exception:
        ErrorsOfWorkers().print_exc()
    assert capsys.readouterr().err.rpartition("^^\n")[2].splitlines()[-1:] == printed.splitlines()
