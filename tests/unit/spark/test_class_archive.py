import sys
from pathlib import Path

import pytest

from cqa_spark.spark import PLAIN_SPARK
from cqa_spark.spark.class_archive import archive_options, make_archive

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


def test_plain_spark_reads_the_jars(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.write_bytes(b"classes")
    monkeypatch.setenv(PLAIN_SPARK, "1")
    assert archive_options() == ()


def test_a_command_archives_the_classes_that_it_loads(archive: Path) -> None:
    archive.write_bytes(b"an earlier installation's")
    assert make_archive([sys.executable, "-c", WRITES_AN_ARCHIVE, "0"]) == archive
    assert archive.read_bytes() == b"classes"


@pytest.mark.parametrize("command", [[WRITES_AN_ARCHIVE, "1"], ["pass"]], ids=["fails", "writes none"])
def test_there_is_no_archive_of_a_command_that(archive: Path, command: list[str]) -> None:
    archive.write_bytes(b"an earlier installation's")
    assert make_archive([sys.executable, "-c", *command]) is None
    assert list(archive.parent.iterdir()) == []
