"""A lake of two small runs, and every file of it damaged: a whole run stays published, and errors name the file."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_runs import delta_table, finished, held, lake_at, paths, published, users

from cqa_spark.errors import ContractError, CqaError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.publishing import rollback
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.snapshot import published_snapshot, snapshot_of
from cqa_spark.runtime.workspace import write_lake
from cqa_spark.settings.sections import JobSettings

DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "emptied": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"garbage"),
    "missing": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_of_a_table_that_changed_is_named_before_spark_reads_it(lake: Lake, damage: str) -> None:
    finished(lake, "r1", a="x", b="y")
    for file in snapshot_of(lake, "r1").files(USERS).files:
        content = Path(lake.path(file.path)).read_bytes()
        DAMAGES[damage](Path(lake.path(file.path)))
        with pytest.raises(ContractError, match=f"{file.path} is (missing|damaged)"):
            snapshot_of(lake, "r1").read(USERS)
        Path(lake.path(file.path)).write_bytes(content)


def rolled_back(lake: Lake) -> CqaError | None:
    """Roll back as the command does; return what was in the way."""
    try:
        with write_lake(JobSettings(lake=lake.root), "rollback") as leased:
            rollback(leased)
    except CqaError as error:
        return error
    return None


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_file_is_damaged_a_whole_run_is_published_and_the_file_named(
    lake: Lake, tmp_path: Path, damage: str
) -> None:
    for run_id, letter in (("r1", "x"), ("r2", "y")):
        finished(lake, run_id, a=letter)
        published(lake, run_id)
    files = sorted(path.relative_to(lake.root) for path in Path(lake.root).rglob("*") if path.is_file())
    assert len(files) == 16
    for number, file in enumerate(files):
        copy = lake_at(Path(shutil.copytree(lake.root, tmp_path / str(number))))
        DAMAGES[damage](Path(copy.root, file))
        error, is_log = rolled_back(copy), "_delta_log" in file.parts
        if error is not None:
            assert error.exit_code == 4 if is_log else error.exit_code in (3, 5), file
            assert ("tables/users" if is_log else file.name.partition(".")[0]) in error.problem, (file, error.problem)
            assert "\n" not in error.problem
        if is_log and error is not None:
            shutil.rmtree(copy.path("tables/users/_delta_log"))  # as the error advises
            with held(copy):
                error = None
        if error is None:
            assert users(published_snapshot(copy)) == ["a/x"], file
            assert delta_table(copy) == paths(published_snapshot(copy))
        elif file.name != "published.json" and "r2.4" not in file.parts:
            assert users(published_snapshot(copy)) == ["a/y"], file
