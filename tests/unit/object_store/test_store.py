"""What holds for objects in a folder and in a bucket alike."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fake_bucket import FAULT, LOST_ANSWER, LOST_REQUEST, SLOW_DOWN, FakeClient, bucket
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    return Folder(str(tmp_path / "store")) if request.param == "folder" else bucket(FakeClient())


def test_nothing_is_there_at_first(store: ObjectStore) -> None:
    assert store.read("a/b") is None
    assert list(store.keys()) == []
    store.delete("a/b")


def test_only_the_first_creates(store: ObjectStore) -> None:
    version = store.create("lease", b"first")
    with pytest.raises(AlreadyThere):
        store.create("lease", b"second")
    with pytest.raises(AlreadyThere):
        store.create("lease", b"first")
    assert (store.read("lease").data, store.read("lease").version) == (b"first", version)


def test_only_the_version_that_was_read_is_replaced(store: ObjectStore) -> None:
    first = store.create("lease", b"one")
    second = store.replace("lease", b"two", first)
    with pytest.raises(Changed):
        store.replace("lease", b"three", first)
    assert store.read("lease").version == second
    assert store.read("lease").data == b"two"


def test_keys_are_listed_in_order_by_prefix(store: ObjectStore) -> None:
    for key in ("runs/b", "runs/a", "runs/a.b/c", "run", "models/x"):
        store.put(key, b"")
    assert list(store.keys()) == ["models/x", "run", "runs/a", "runs/a.b/c", "runs/b"]
    assert list(store.keys("runs/")) == ["runs/a", "runs/a.b/c", "runs/b"]
    assert list(store.keys("runs/a")) == ["runs/a", "runs/a.b/c"]
    assert list(store.keys("none/")) == []
    assert list(store.keys(after="runs/a")) == ["runs/a.b/c", "runs/b"]
    assert list(store.keys("runs/", after="runs/a.b")) == ["runs/a.b/c", "runs/b"]


def test_folders_are_listed_without_what_they_hold(store: ObjectStore) -> None:
    for key in ("runs/b/1", "runs/a/1", "runs/a/2", "runs/c/deep/1", "runs/file", "models/x"):
        store.put(key, b"")
    assert store.folders() == ["models", "runs"]
    assert store.folders("runs") == ["a", "b", "c"]
    assert store.folders("runs/file") == store.folders("none") == []


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "../a", "a/./b", ".hidden", "a\0b"])
def test_odd_keys_are_refused(store: ObjectStore, key: str) -> None:
    with pytest.raises(ConfigError, match="is not a valid object key"):
        store.put(key, b"")


KEYS = st.sampled_from(["a", "b", "c/d", "c.d"])
STEPS = st.lists(st.tuples(st.sampled_from(["put", "create", "replace", "delete"]), KEYS, st.binary(max_size=3)))


@given(steps=STEPS)
def test_both_do_what_a_dictionary_does(steps: list[tuple[str, str, bytes]]) -> None:
    with TemporaryDirectory() as folder:
        for store in (Folder(folder), bucket(FakeClient())):
            expected: dict[str, bytes] = {}
            for do, key, data in steps:
                _step(store, expected, do, key, data)
            assert [(key, store.read(key).data) for key in list(store.keys())] == sorted(expected.items())


def _step(store: ObjectStore, expected: dict[str, bytes], do: str, key: str, data: bytes) -> None:
    if do == "put":
        store.put(key, data)
    elif do == "delete":
        store.delete(key)
        expected.pop(key, None)
        return
    elif do == "create":
        if key in expected:
            with pytest.raises(AlreadyThere):
                store.create(key, data)
            return
        store.create(key, data)
    elif (stored := store.read(key)) is not None:
        store.replace(key, data, stored.version)
    else:
        with pytest.raises(Changed):
            store.replace(key, data, "none")
        return
    expected[key] = data


# Requests to a bucket whose answer got lost: what was written is found out, never guessed.

FAULTS = st.lists(st.sampled_from([None, LOST_REQUEST, LOST_ANSWER, FAULT, SLOW_DOWN]), max_size=4)


def test_a_create_whose_answer_got_lost_is_read_back() -> None:
    client = FakeClient([LOST_ANSWER])
    bucket(client).create("lease", b"mine")
    assert client.requests == ["put pre/fix/lease", "get pre/fix/lease"]


def test_a_create_that_never_arrived_is_sent_again() -> None:
    client = FakeClient([LOST_REQUEST])
    bucket(client).create("lease", b"mine")
    assert client.requests == ["put pre/fix/lease", "get pre/fix/lease", "put pre/fix/lease"]


def test_a_create_that_never_arrived_does_not_take_what_another_created() -> None:
    client = FakeClient([SLOW_DOWN])
    client.objects["pre/fix/lease"] = b"theirs"
    with pytest.raises(AlreadyThere):
        bucket(client).create("lease", b"mine")
    assert client.objects == {"pre/fix/lease": b"theirs"}


def test_a_replace_whose_answer_got_lost_is_read_back() -> None:
    client = FakeClient([None, LOST_ANSWER])
    store = bucket(client)
    version = store.create("lease", b"one")
    assert store.replace("lease", b"two", version) == store.read("lease").version


def test_a_replace_that_never_arrived_does_not_take_what_another_wrote() -> None:
    client = FakeClient([None, LOST_REQUEST])
    store = bucket(client)
    version = store.create("lease", b"one")
    client.objects["pre/fix/lease"] = b"theirs"
    with pytest.raises(Changed):
        store.replace("lease", b"two", version)
    assert client.objects == {"pre/fix/lease": b"theirs"}


def test_storage_that_never_answers_is_given_up() -> None:
    client = FakeClient([SLOW_DOWN] * 3)
    with pytest.raises(EnvironmentProblem, match=r"s3a://bucket/pre/fix/a: no answer .* 503 SlowDown"):
        bucket(client, attempts=3).read("a")
    assert client.requests == ["get pre/fix/a"] * 3


@given(faults=FAULTS)
def test_a_create_succeeds_whatever_gets_lost(faults: list[str | None]) -> None:
    client = FakeClient(faults)
    bucket(client, attempts=6).create("lease", b"mine")
    assert client.objects == {"pre/fix/lease": b"mine"}


@given(faults=FAULTS)
def test_one_of_two_creates_succeeds_whatever_gets_lost(faults: list[str | None]) -> None:
    client = FakeClient(faults)
    store = bucket(client, attempts=6)
    store.create("lease", b"first")
    with pytest.raises(AlreadyThere):
        store.create("lease", b"second")
    assert client.objects == {"pre/fix/lease": b"first"}


@given(faults=FAULTS)
def test_a_replace_writes_once_whatever_gets_lost(faults: list[str | None]) -> None:
    client = FakeClient([None, *faults])
    store = bucket(client, attempts=6)
    first = store.create("lease", b"one")
    store.replace("lease", b"two", first)
    with pytest.raises(Changed):
        store.replace("lease", b"three", first)
    assert client.objects == {"pre/fix/lease": b"two"}
