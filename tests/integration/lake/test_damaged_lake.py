"""A small lake with one damaged file: every command works as before, or ends with an error that names the file.

The files are found by walking the lake. Commands that need no Spark are tried on every file outside the tables; those
that read tables, on a file of each table that they need: a file of another size is refused before Spark reads it, which
takes one without bytes for one without rows.
"""

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from golden.run import GoldenRun

from cqa_spark.cli import main
from cqa_spark.commands.runs import ListRunsSettings, ShowRunSettings, list_runs, show_run
from cqa_spark.errors import CqaError
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.model_folder import open_model_folder
from cqa_spark.lake.schemas import declared_tables
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.systems.trained_system import load_system, model_artifact

DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "emptied": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes((b"garbage " * path.stat().st_size)[: path.stat().st_size]),
    "missing": Path.unlink,
}
TABLES = {
    "inspect": ["posts", "comments", "users"],
    "report": ["query_metrics"],
    "explain": ["examples"],
}
"""Tables by the command that needs them."""


pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def golden(question_comment_run: GoldenRun, tmp_path: Path) -> GoldenRun:
    """A lake with a published run, ``r1``, that a test may damage."""
    return question_comment_run.copy(tmp_path / "copy")


def small_files(lake: Path) -> list[str]:
    """The files of a lake, relative to it, without those of its tables and those that only Hadoop reads."""
    files = (path.relative_to(lake) for path in lake.rglob("*") if path.is_file())
    return sorted(str(path) for path in files if path.parts[0] != "tables" and path.name[0] not in "._")


def named_in_errors(file: str) -> str:
    """The part of a file's name that errors contain: a missing record of the run log is known by its number alone."""
    return Path(file).name.partition(".")[0] if file.startswith("runs/log/") else Path(file).name


def read_all(root: Path) -> list[object] | CqaError:
    """What commands read without Spark: the run log, the journal tables of the published run, its trained systems."""
    lake = Lake(lambda: pytest.fail("needs no Spark"), str(root), ObjectStorageSettings())
    try:
        with redirect_stdout(StringIO()) as printed:
            list_runs(ListRunsSettings(lake=lake.root, format="json"))
            show_run(ShowRunSettings(lake=lake.root, format="json", run_id="r1"))
        snapshot = published_snapshot(lake)
        journal = [table for table in declared_tables().values() if isinstance(table, JournalTable)]
        entries = [snapshot.entries(table) for table in journal if snapshot.has(table)]
        artifacts = snapshot.record.artifacts.items()
        models = [path for name, path in artifacts if name.startswith(model_artifact(""))]
        loaded = [load_system(open_model_folder(path, "trained_system", lake.storage)) for path in models]
    except CqaError as error:
        return error
    return [printed.getvalue(), *entries, *[(saved.system, model.description) for saved, model in loaded]]


def test_every_small_file(golden: GoldenRun) -> None:
    lake, needed = Path(golden.root), set()
    rows = read_all(lake)
    assert isinstance(rows, list)
    for file in small_files(lake):
        part, content = named_in_errors(file), (lake / file).read_bytes()
        for name, damage in DAMAGES.items():
            damage(lake / file)
            found = read_all(lake)
            if isinstance(found, CqaError):
                needed.add(file if "models" not in file else "runs/r1.1/models")
                assert found.exit_code in (3, 5), (file, name, found)
                assert part in found.problem, (file, name, found)
            else:
                assert found == rows, (file, name)
            (lake / file).write_bytes(content)
    entries = {f"runs/r1.1/{name}.parquet" for name in golden.snapshot.entry_files}
    log = {f"runs/log/{path.name}" for path in lake.glob("runs/log/*")}
    assert needed == {"published.json", "runs/r1.1/manifest.json", "runs/r1.1/models", *entries, *log}


@pytest.mark.parametrize(("command", "table"), [(name, table) for name, tables in TABLES.items() for table in tables])
def test_a_file_of_a_table(golden: GoldenRun, command: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    lake, snapshot = golden.root, golden.snapshot
    thread = snapshot.read(EXAMPLES).first()
    assert thread is not None
    arguments = {
        "inspect": ["inspect", "--lake", lake],
        "report": ["report", "--lake", lake, "--run-id", "r1"],
        "explain": ["explain", "--lake", lake, "--thread", thread["query_id"], "--system", "learned"],
    }[command]
    file = Path(lake, max(snapshot.tables[table].files, key=lambda each: each.rows).path)
    for name, damage in DAMAGES.items():
        content = file.read_bytes()
        damage(file)
        assert main(arguments) in (3, 5), (file, name)
        told = capsys.readouterr().err
        assert file.name in told, (file, name, told)
        assert "Traceback" not in told
        file.write_bytes(content)
