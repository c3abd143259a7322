import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from store_races import creations, increments

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import AlreadyThere


def test_of_many_who_write_at_once(tmp_path: Path) -> None:
    store = Folder(str(tmp_path))
    assert (creations(store), increments(store, 40)) == (1, 40)


def test_nothing_but_the_objects_is_left(tmp_path: Path) -> None:
    store = Folder(str(tmp_path))
    store.create("a", b"1")
    with pytest.raises(AlreadyThere):
        store.create("a", b"2")
    store.put("a", b"3")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_a_deleted_file_takes_the_checksum_that_hadoop_keeps_beside_it_and_its_folder(tmp_path: Path) -> None:
    for name in ("part-0.parquet", ".part-0.parquet.crc"):
        path = tmp_path / "models" / "threads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    Folder(str(tmp_path)).delete_all(["models/threads/part-0.parquet"])
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Folder(str(tmp_path))
    store.put("a", b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(EnvironmentProblem, match="No space left on device"):
        store.put("a", b"new")
    assert store.read("a").data == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_what_a_dead_writer_left_is_no_object(tmp_path: Path) -> None:
    (tmp_path / ".a.0123").write_bytes(b"half")
    assert list(Folder(str(tmp_path)).keys()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EnvironmentProblem, match=r"cannot write .*file/a"):
        Folder(str(tmp_path / "file")).put("a", b"")


def test_a_file_that_is_removed_while_files_are_listed_has_no_size(tmp_path: Path) -> None:
    class Racing(Folder):
        def _below(self, prefix: str) -> list[str]:
            listed = super()._below(prefix)
            self.delete("a")
            return listed

    store = Racing(str(tmp_path))
    for key in ("a", "b"):
        store.put(key, b"1")
    assert store.sizes() == {"b": 1}


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EMFILE, errno.EACCES])
@pytest.mark.parametrize("listing", [Folder.keys, Folder.sizes, Folder.folders, Folder.delete_unfinished])
def test_a_folder_that_cannot_be_listed_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, listing: Callable[[Folder], object]
) -> None:
    store = Folder(str(tmp_path))
    store.put("runs/log/1", b"")
    scandir, failed = os.scandir, tmp_path if listing == Folder.folders else tmp_path / "runs/log"

    def fails(path: Path) -> object:
        if Path(path) == failed:
            raise OSError(number, os.strerror(number), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", fails)
    with pytest.raises(EnvironmentProblem, match=f"cannot read {failed}: {os.strerror(number)}"):
        listing(store)


@pytest.mark.parametrize("link", ["lake", "lake/runs", "lake/runs/log", "lake/runs/log/1"])
def test_a_link_to_a_folder_that_is_not_mounted_is_not_absent(tmp_path: Path, link: str) -> None:
    store = Folder(str(tmp_path / "lake"))
    store.put("runs/log/1", b"")
    (tmp_path / link).rename(tmp_path / "elsewhere")
    (tmp_path / link).symlink_to(tmp_path / "not mounted")
    refused = f"{tmp_path / link} is a link to {tmp_path}/not mounted, which does not exist"
    with pytest.raises(EnvironmentProblem, match=refused):
        store.sizes("runs/log/")
    with pytest.raises(EnvironmentProblem, match=refused):
        store.read("runs/log/1")


def test_what_dead_writers_left_is_deleted_and_nothing_else(tmp_path: Path) -> None:
    store = Folder(str(tmp_path))
    store.put("runs/r1.1/report.html", b"whole")
    dead = [f".lease.json.{'0' * 32}", f"runs/r1.1/.report.html.{'a' * 32}"]
    others = [".hidden", "runs/r1.1/.part-0.parquet.crc", f"runs/r1.1/.report.html.{'x' * 32}", "runs/r1.1/report.html"]
    for name in (*dead, *others[:3]):
        (tmp_path / name).write_bytes(b"half")
    assert store.delete_unfinished() == dict.fromkeys(dead, 4)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()) == others
