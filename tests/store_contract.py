"""The contract of every store of objects, as tests: a test file makes a class of them for each kind of storage."""

from collections.abc import Callable
from pathlib import Path

import pytest
from store_races import creations, increments

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore


class StoreContract:
    """What holds for objects wherever they are; a subclass has a fixture ``store``, empty for every test."""

    def test_nothing_is_there_at_first(self, store: ObjectStore) -> None:
        assert store.read("a/b") is None
        assert list(store.keys()) == []
        store.delete("a/b")
        store.delete_all(["a/b", "c"])
        with pytest.raises(InputError):
            store.open("a/b").read()

    def test_an_object_is_what_was_written_last(self, store: ObjectStore) -> None:
        store.put("a/b", b"one")
        store.put("a/b", b"two, and longer")
        store.put("a/it's 100% a=b ü", b"")
        assert store.read("a/b").data == b"two, and longer"
        assert store.read("a/it's 100% a=b ü").data == b""
        assert store.sizes() == {"a/b": 15, "a/it's 100% a=b ü": 0}
        store.delete("a/b")
        assert store.read("a/b") is None
        assert list(store.keys()) == ["a/it's 100% a=b ü"]

    def test_only_the_first_creates(self, store: ObjectStore) -> None:
        version = store.create("runs/lease", b"first")
        with pytest.raises(AlreadyThere):
            store.create("runs/lease", b"second")
        with pytest.raises(AlreadyThere):
            store.create("runs/lease", b"first")
        assert (store.read("runs/lease").data, store.read("runs/lease").version) == (b"first", version)

    def test_only_the_version_that_was_read_is_replaced(self, store: ObjectStore) -> None:
        first = store.create("lease", b"one")
        second = store.replace("lease", b"two", first)
        for old in (first, "none"):
            with pytest.raises(Changed):
                store.replace("lease", b"three", old)
        assert (store.read("lease").data, store.read("lease").version) == (b"two", second)
        third = store.replace("lease", b"three", second)
        with pytest.raises(Changed):
            store.replace("lease", b"four", second)
        with pytest.raises(AlreadyThere):
            store.create("lease", b"five")
        assert store.replace("lease", b"six", third) == store.read("lease").version
        assert store.open("lease").read() == b"six"
        assert store.sizes() == {"lease": 3}

    def test_what_does_not_exist_cannot_be_replaced(self, store: ObjectStore) -> None:
        version = store.create("lease", b"one")
        store.delete("lease")
        for old in (version, "none"):
            with pytest.raises(Changed):
                store.replace("lease", b"two", old)
        assert store.read("lease") is None

    def test_a_version_ends_with_its_object(self, store: ObjectStore) -> None:
        """Equal bytes may have equal versions; others have not."""
        for write in (store.create, lambda key, data: store.replace(key, data, store.read(key).version)):
            old = write("a", b"old")
            store.put("a", b"new")
            with pytest.raises(Changed):
                store.replace("a", b"newest", old)
        old = store.read("a").version
        store.delete("a")
        store.create("a", b"another")
        with pytest.raises(Changed):
            store.replace("a", b"newest", old)
        assert store.read("a").data == b"another"

    def test_what_was_replaced_is_deleted_and_created_like_any_other(self, store: ObjectStore) -> None:
        store.replace("a/b", b"two", store.create("a/b", b"one"))
        store.put("a/b", b"three")
        assert (store.read("a/b").data, store.open("a/b").read()) == (b"three", b"three")
        store.delete_all(["a/b"])
        assert (list(store.keys()), store.read("a/b"), store.folders()) == ([], None, [])
        store.create("a/b", b"four")
        assert store.read("a/b").data == b"four"

    def test_of_many_who_write_at_once(self, store: ObjectStore) -> None:
        assert (creations(store), increments(store, 20)) == (1, 20)
        assert store.open("count").read() == store.read("count").data

    def test_keys_are_listed_in_order_by_prefix(self, store: ObjectStore) -> None:
        for key in ("runs/b", "runs/a", "runs/a.b/c", "run", "models/x"):
            store.put(key, b"")
        assert list(store.keys()) == ["models/x", "run", "runs/a", "runs/a.b/c", "runs/b"]
        assert list(store.keys("runs/")) == ["runs/a", "runs/a.b/c", "runs/b"]
        assert list(store.keys("runs/a")) == ["runs/a", "runs/a.b/c"]
        assert list(store.keys("none/")) == []
        assert list(store.keys(after="runs/a")) == ["runs/a.b/c", "runs/b"]
        assert list(store.keys("runs/", after="runs/a.b")) == ["runs/a.b/c", "runs/b"]

    def test_an_entry_of_a_listing_identifies_the_content(self, store: ObjectStore) -> None:
        store.put("a", b"1")
        [first] = store.listed()
        assert [first] == list(store.listed())
        store.put("a", b"2")
        [second] = store.listed()
        assert (first.key, first.size) == (second.key, second.size) == ("a", 1)
        assert first.version != second.version
        store.replace("a", b"3", store.read("a").version)
        [third] = store.listed()
        assert third.version not in (first.version, second.version)

    def test_folders_are_listed_without_what_they_hold(self, store: ObjectStore) -> None:
        for key in ("runs/b/1", "runs/a/1", "runs/a/2", "runs/c/deep/1", "runs/file", "models/x"):
            store.put(key, b"")
        assert store.folders() == ["models", "runs"]
        assert store.folders("runs") == ["a", "b", "c"]
        assert store.folders("runs/file") == store.folders("none") == []

    def test_an_object_is_read_from_any_byte(self, store: ObjectStore) -> None:
        store.put("a", bytes(range(10)))
        with store.open("a", 4) as stream:
            assert stream.read(2) == b"\x04\x05"
            stream.seek(8)
            assert stream.read() == b"\x08\x09"

    def test_files_are_copied_there_and_back(self, store: ObjectStore, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"x" * 100_000)
        store.upload(tmp_path / "file", "a/b")
        store.download("a/b", tmp_path / "copies" / "copy")
        assert (tmp_path / "copies" / "copy").read_bytes() == b"x" * 100_000
        assert [path.name for path in (tmp_path / "copies").iterdir()] == ["copy"]

    def test_an_object_that_grows_is_seen_when_it_is_complete(self, store: ObjectStore) -> None:
        complete, given_up = store.writer("a/complete"), store.writer("a/given-up")
        for writer in (complete, given_up):
            writer.write(b"one ")
            writer.write(memoryview(b"two"))
            assert list(store.keys()) == []
        complete.close()
        given_up.abort()
        complete.abort()
        assert store.sizes() == {"a/complete": 7}
        assert store.read("a/complete").data == b"one two"
        store.delete_unfinished()
        assert store.sizes() == {"a/complete": 7}

    def test_many_are_deleted_and_their_folders(self, store: ObjectStore) -> None:
        keys = [f"deep/{number % 3}/{number}" for number in range(12)]
        for key in keys:
            store.put(key, b"")
        store.delete_all([*keys[:-1], "deep/none"])
        assert list(store.keys()) == keys[-1:]
        assert store.folders("deep") == ["2"]

    @pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "../a", "a/./b", ".hidden", "a\0b"])
    def test_odd_keys_are_refused(self, store: ObjectStore, key: str) -> None:
        with pytest.raises(ConfigError, match="is not a valid object key"):
            store.put(key, b"")


OLD, NEW = b"old " * 1000, b"new " * 1000


def _read(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    others.put("object", OLD)
    assert store.read("object").data == OLD


def _read_absent(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    assert store.read("object") is None


def _put(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    store.put("object", NEW)
    assert others.read("object").data == NEW


def _create(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    version = store.create("object", NEW)
    assert (others.read("object").data, others.read("object").version) == (NEW, version)
    with pytest.raises(AlreadyThere):
        store.create("object", OLD)


def _create_second(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    others.create("object", OLD)
    with pytest.raises(AlreadyThere):
        store.create("object", NEW)
    assert others.read("object").data == OLD


def _replace(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    before = others.create("object", OLD)
    version = store.replace("object", NEW, before)
    assert (others.read("object").data, others.read("object").version) == (NEW, version)
    with pytest.raises(Changed):
        store.replace("object", OLD, before)
    assert others.open("object").read() == NEW


def _replace_again(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    before = others.replace("object", OLD, others.create("object", b"first"))
    version = store.replace("object", NEW, before)
    assert (others.read("object").data, others.read("object").version) == (NEW, version)
    assert others.open("object").read() == NEW


def _replace_changed(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    before = others.create("object", OLD)
    others.replace("object", b"theirs", before)
    with pytest.raises(Changed):
        store.replace("object", NEW, before)
    assert others.read("object").data == b"theirs"


def _delete(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    others.replace("object", NEW, others.create("object", OLD))
    others.put("second", OLD)
    store.delete("object")
    store.delete_all(["second", "object"])
    assert list(others.keys()) == []
    assert others.read("object") is None


def _list(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    for name in ("a", "b", "c/d"):
        others.put(name, b"")
    assert (list(store.keys()), store.folders()) == (["a", "b", "c/d"], ["c"])


def _copy(store: ObjectStore, others: ObjectStore, folder: Path) -> None:
    others.put("object", OLD)
    store.download("object", folder / "copies" / "copy")
    assert (folder / "copies" / "copy").read_bytes() == OLD
    assert [path.name for path in (folder / "copies").iterdir()] == ["copy"]


def _upload(store: ObjectStore, others: ObjectStore, folder: Path) -> None:
    (folder / "file").write_bytes(NEW)
    store.upload(folder / "file", "object")
    assert others.read("object").data == NEW


def _write(store: ObjectStore, others: ObjectStore, _: Path) -> None:
    writer = store.writer("object")
    writer.write(NEW)
    writer.close()
    assert others.read("object").data == NEW


Operation = Callable[[ObjectStore, ObjectStore, Path], None]
"""An operation on a store, whose requests may go wrong, and checks by another process; the path is a folder for it."""

OPERATIONS: dict[str, Operation] = {
    "read": _read,
    "read what is absent": _read_absent,
    "put": _put,
    "create": _create,
    "create what is there": _create_second,
    "replace": _replace,
    "replace again": _replace_again,
    "replace what changed": _replace_changed,
    "delete": _delete,
    "list": _list,
    "download": _copy,
    "upload": _upload,
    "write": _write,
}
