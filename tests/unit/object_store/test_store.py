"""The contract of stores on a folder and on a fake bucket, and what becomes of requests without an answer."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fake_bucket import FAULT, LOST_ANSWER, LOST_REQUEST, SLOW_DOWN, FakeClient, bucket
from hypothesis import given
from hypothesis import strategies as st
from store_contract import StoreContract

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore


class TestFolder(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectStore:
        return Folder(str(tmp_path / "store"))


class TestBucket(StoreContract):
    @pytest.fixture
    def store(self) -> ObjectStore:
        return bucket(FakeClient())


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
