"""A small lake with one damaged file: every command works as before, or ends with an error that names the file.

The files are found by walking the lake. The commands that read only the journal and models are run on every file; those
that read tables with Spark, on one file of each table that they need.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.commands.explain import explaining_system
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import CqaError
from cqa_spark.lake.declared_tables import declared_tables
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.opening import require_lake
from cqa_spark.lake.publishing import published_snapshot
from cqa_spark.lake.storage import Lake
from cqa_spark.synth.qatar_living import write_sample

DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "emptied": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(b"garbage " * (path.stat().st_size // 5)),
    "missing": Path.unlink,
}
TABLES = {
    "inspect": ["posts", "comments", "users"],
    "report": ["query_metrics"],
    "explain": ["examples"],
}
"""Tables by the command that needs them."""


@pytest.fixture(scope="module")
def sound(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with a published run."""
    folder = tmp_path_factory.mktemp("damaged")
    sample = write_sample(folder, threads=12, dev_threads=4, seed=1)
    files = ["--train", str(sample.train), "--dev", str(sample.dev), "--lake", str(folder / "lake")]
    systems = ["--systems", "given_order", "lexicon", "--run-id", "r1", "--no-tracking.enabled"]
    assert main(["run", *files, *systems, "--evaluation.resamples", "99"]) == 0
    return folder / "lake"


@pytest.fixture
def lake(sound: Path) -> Iterator[Path]:
    """The same lake; what a test damages is restored."""
    copy = sound.with_name("copy")
    shutil.copytree(sound, copy)
    sound.rename(sound.with_name("kept"))
    copy.rename(sound)
    yield sound
    shutil.rmtree(sound)
    sound.with_name("kept").rename(sound)


def files_of(lake: Path, *folders: str) -> list[str]:
    """The files below folders of a lake, relative to it, without those that only Hadoop reads."""
    found = (path for folder in folders for path in (lake / folder).rglob("*") if path.is_file())
    return sorted(str(path.relative_to(lake)) for path in found if not path.name.startswith((".", "_")))


class Outcome:
    """What a command did: its exit code, and what it printed."""

    def __init__(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        capsys.readouterr()
        self.code = main(arguments)
        self.out, self.err = capsys.readouterr()

    def is_that_of(self, before: Outcome) -> bool:
        return (self.code, self.out) == (before.code, before.out)

    def names(self, file: str) -> bool:
        return self.code in (3, 5) and file in self.err and "Traceback" not in self.err


def named_in_errors(file: str) -> str:
    """The part of a file's name that errors contain: a missing record of the run log is known by its number alone."""
    return Path(file).name.partition(".")[0] if file.startswith("journal/runs/") else Path(file).name


def read_all(root: Path) -> list[object] | CqaError:
    """All that is read of the published run without Spark: its journal tables, and the system that explains scores."""
    lake = Lake(lambda: pytest.fail("needs no Spark"), str(root), ObjectStorageSettings())
    try:
        require_lake(str(root), lake.storage)
        snapshot = published_snapshot(lake)
        tables = [table for name, table in declared_tables().items() if name in snapshot.record.table_versions]
        entries = [snapshot.entries(table) for table in tables if isinstance(table, JournalTable)]
        system, model = explaining_system(snapshot, "lexicon")
    except CqaError as error:
        return error
    return [*entries, system, model.description]


def test_every_file_without_spark(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [["runs", "list", "--lake", str(lake)], ["runs", "show", "r1", "--lake", str(lake)]]
    before = [Outcome(command, capsys) for command in commands]
    rows = read_all(lake)
    needed = set()
    for file in files_of(lake, "."):
        part, content = named_in_errors(file), (lake / file).read_bytes()
        for name, damage in DAMAGES.items():
            damage(lake / file)
            for sound, command in zip(before, commands, strict=True):
                after = Outcome(command, capsys)
                assert after.is_that_of(sound) or after.names(part), (file, name, after.err)
            found = read_all(lake)
            assert found == rows or (isinstance(found, CqaError) and part in found.problem), (file, name, found)
            if found != rows:
                needed.add(file.split("/")[0])
            (lake / file).write_bytes(content)
    assert needed == {"journal", "models", "published.json"}


@pytest.mark.parametrize(("command", "table"), [(name, table) for name, tables in TABLES.items() for table in tables])
def test_a_file_of_a_table(
    lake: Path, spark: SparkSession, command: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    thread = spark.read.parquet(str(lake / "examples")).first()
    assert thread is not None
    arguments = {
        "inspect": ["inspect", str(lake)],
        "report": ["report", "--lake", str(lake), "--run-id", "r1"],
        "explain": ["explain", "--lake", str(lake), "--thread", thread["query_id"], "--system", "lexicon"],
    }[command]
    file = next(path for path in lake.rglob(f"{table}/**/*.parquet") if not path.name.startswith("."))
    for name in ("garbage", "missing"):
        content = file.read_bytes()
        DAMAGES[name](file)
        after = Outcome(arguments, capsys)
        assert after.names(file.name) or after.names(file.parent.name), (file, name, after.code, after.err[-1500:])
        file.write_bytes(content)
