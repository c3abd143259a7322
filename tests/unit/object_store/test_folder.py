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
