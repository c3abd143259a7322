"""Commands that need an existing lake: they find it without writing, and refuse before Spark starts."""

from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.lake import opening
from cqa_spark.lake.opening import require_lake
from cqa_spark.lake.pointer import claim
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.locations import open_store
from cqa_spark.runtime.workspace import write_lake
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings

STORAGE = ObjectStorageSettings()


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A folder with two lakes, and two folders that are none."""
    for name in ("lake", "lake-2025"):
        claim(Folder(str(tmp_path / name)), token=1)
    for name in ("lakes", "dumps"):
        (tmp_path / name).mkdir()
    return tmp_path


def refused(root: str) -> tuple[str, str]:
    with pytest.raises(ConfigError) as error:
        require_lake(root, STORAGE)
    return error.value.problem, error.value.remedy


def test_an_existing_lake_is_found_and_nothing_is_written(build: Path) -> None:
    before = {each: each.stat().st_mtime_ns for each in build.rglob("*")}
    for root in (f"{build}/lake", f"{build}/lake/", f"file://{build}/lake"):
        require_lake(root, STORAGE)
    assert {each: each.stat().st_mtime_ns for each in build.rglob("*")} == before


def test_an_address_of_a_local_file_is_its_path(build: Path) -> None:
    assert JobSettings(lake=f"file://{build}/lake").lake == f"{build}/lake"


def test_similar_names_beside_it_are_suggested_where_they_are_lakes(build: Path) -> None:
    problem = f"there is no lake at {build}/lak; nothing was written"
    assert refused(f"{build}/lak") == (problem, f"did you mean {build}/lake?")
    assert refused(f"{build}/lake-2024")[1] == f"did you mean {build}/lake-2025?"
    assert refused(f"{build}/dumps")[1] == "check the path; cqa run and cqa ingest create a lake"
    assert refused(f"{build}/none/lake")[1] == "check the path; cqa run and cqa ingest create a lake"


def test_a_user_who_may_not_list_the_folder_above_gets_no_suggestion(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unlisted(Folder):
        """A folder whose owner lets others read what they know the name of."""

        def folders(self, within: str = "") -> list[str]:
            raise opening.EnvironmentProblem("listing is refused", "ask the owner")

    monkeypatch.setattr(opening, "open_store", lambda root, _: Unlisted(open_store(root).root))
    assert refused(f"{build}/lak")[1] == "check the path; cqa run and cqa ingest create a lake"


@pytest.mark.parametrize(
    "command",
    [
        ["runs", "list", "--lake"],
        ["runs", "show", "r1", "--lake"],
        ["runs", "publish", "r1", "--lake"],
        ["runs", "rollback", "--lake"],
        ["runs", "gc", "--lake"],
        ["inspect", "--lake"],
        ["explain", "--run-id", "r1", "--thread", "42", "--lake"],
        ["pair", "--run-id", "r1", "--lake"],
        ["report", "--run-id", "r1", "--lake"],
        ["tune", "--system", "best_a", "--run-id", "r1", "--lake"],
    ],
    ids=" ".join,
)
def test_a_mistyped_lake_is_no_new_lake(build: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, str(build / "lak")]) == 2
    assert f"did you mean {build}/lake?" in capsys.readouterr().err
    assert sorted(each.name for each in build.iterdir()) == ["dumps", "lake", "lake-2025", "lakes"]


@pytest.mark.parametrize(
    "command",
    [
        ["runs", "list", "--lake"],
        ["inspect", "--lake"],
        ["runs", "publish", "r1", "--lake"],
        ["pair", "--run-id", "r1", "--lake"],
    ],
    ids=" ".join,
)
def test_a_lake_of_an_older_version_is_refused(
    build: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (build / "lake" / "published.json").write_text('{"token": 3, "record": null}')
    assert refusal_of([*command, str(build / "lake")], build, capsys) == (
        f"cqa: the lake at {build}/lake was written by an older version of cqa-spark; nothing was written\n"
        "  → read the dumps again into a new lake: --lake NEW\n"
    )


def refusal_of(command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that is refused, and leaves all files as they were."""
    before = {each: each.stat().st_mtime_ns for each in folder.rglob("*")}
    assert main(command) == 2
    assert {each: each.stat().st_mtime_ns for each in folder.rglob("*")} == before
    return capsys.readouterr().err


@pytest.mark.parametrize(("content", "version"), [('{"token": 3}', "an older"), ('{"format": 3}', "a newer")])
def test_a_job_that_would_create_a_lake_refuses_one_of_another_version(
    tmp_path: Path, content: str, version: str
) -> None:
    (tmp_path / "published.json").write_text(content)
    with (
        pytest.raises(ConfigError, match=f"was written by {version} version"),
        write_lake(JobSettings(lake=str(tmp_path)), "run"),
    ):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["published.json"]


def test_a_lake_whose_pointer_is_lost_is_neither_read_nor_written(build: Path) -> None:
    objects = Folder(str(build / "lake"))
    RunLog(objects).append(RunRecord("r1", "running", "run", "c0ffee", "task: x", "0"))
    objects.delete("published.json")
    for create in (False, True):
        with (
            pytest.raises(ContractError, match=f"{build}/lake/published.json is missing: the lake has a run log"),
            write_lake(JobSettings(lake=str(build / "lake")), "run", create=create),
        ):
            pass
    assert not (build / "lake" / "published.json").exists()


@pytest.mark.parametrize("content", [b"", b"{}{", b'{"format": 2, "token": "x"}', b"[]", b"\xff\xfe"])
def test_a_damaged_pointer_or_lease_is_named(build: Path, content: bytes) -> None:
    for name in ("published.json", "lease.json"):
        lake = build / f"lake {name}"
        lake.mkdir()
        (lake / name).write_bytes(content)
        with (
            pytest.raises(ContractError, match=f"{lake}/{name} is damaged: "),
            write_lake(JobSettings(lake=str(lake)), "run"),
        ):
            pass
