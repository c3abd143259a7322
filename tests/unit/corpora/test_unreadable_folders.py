"""A folder that cannot be listed is named, and never taken for an empty or absent one."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cqa_spark.corpora.inputs import find_inputs, matching_paths
from cqa_spark.corpora.stackexchange.dump_files import find_archives, find_dump_files
from cqa_spark.corpora.tables_conversion import locate, tables_at
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings

STORAGE = ObjectStorageSettings()
SEARCHES: dict[str, Callable[[Path], object]] = {
    "dumps": lambda folder: find_dump_files([str(folder)]),
    "dumps by pattern": lambda folder: find_dump_files([f"{folder}/*/*.xml"]),
    "archives": lambda folder: find_archives([str(folder)]),
    "annotated files": lambda folder: find_inputs([folder / "closed"], "train"),
    "tables": lambda folder: list(tables_at([str(folder)], ["posts"], STORAGE)),
    "files of a table": lambda folder: locate(str(folder), STORAGE),
}


@pytest.fixture(params=[errno.EACCES, errno.EIO, errno.ESTALE, errno.EMFILE])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a readable site and one that cannot be listed."""
    for name in ("open.example.org", "closed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Posts.xml").touch()

    def failing(function: Callable[..., object]) -> Callable[..., object]:
        def called(path: object = ".") -> object:
            if str(path) == str(tmp_path / "closed"):
                raise OSError(request.param, os.strerror(request.param), str(path))
            return function(path)

        return called

    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    return tmp_path


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_folder_is_named(folder: Path, search: Callable[[Path], object]) -> None:
    with pytest.raises(InputError, match=rf"cannot read {folder}/closed: "):
        search(folder)


@pytest.mark.parametrize("name", [".Trash", "_temporary", "lost+found"])
def test_folders_of_the_file_system_may_be_unreadable(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "closed").rename(folder / name)
    listed = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == name:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [file.site for file in find_dump_files([str(folder)])] == ["open.example.org"]


def test_a_folder_above_that_cannot_be_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stat(path: Path, **_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", stat)
    for search in (find_dump_files, lambda paths: find_inputs(paths, "train"), lambda paths: locate(paths[0], STORAGE)):
        with pytest.raises(InputError, match=r"cannot read .*absent: Permission denied"):
            search([str(tmp_path / "absent")])


def test_relative_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()
    monkeypatch.chdir(tmp_path)
    assert matching_paths("*") == [Path("a")]
