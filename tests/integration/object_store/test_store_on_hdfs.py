"""Objects on a real HDFS: the contract, and what becomes of calls that go wrong, are repeated, or are the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hadoop import hadoop
from store_contract import NEW, OLD, OPERATIONS, StoreContract

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.store import Changed, ObjectStore
from cqa_spark.settings.sections import ObjectStorageSettings

hdfs_native = pytest.importorskip("hdfs_native", reason="needs the extra hdfs")
pytestmark = pytest.mark.more

LONG_AGO = 1_000_000_000_000
"""A time in 2001, in milliseconds since 1970."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the cluster."""
    with hadoop(tmp_path_factory.mktemp("hdfs")) as started:
        yield started.hdfs


@pytest.fixture
def location(cluster: str) -> str:
    return f"{cluster}/{uuid4().hex}"


class TestHdfs(StoreContract):
    @pytest.fixture
    def store(self, location: str) -> ObjectStore:
        return open_store(location)


class Killed(BaseException):
    """The process ended: nothing that it would do afterwards happens."""


Fault = Callable[["FaultyClient", Callable[[], Any]], Any]


def _lost_request(client: FaultyClient, call: Callable[[], Any]) -> Any:
    raise ConnectionResetError("made up")


def _lost_answer(client: FaultyClient, call: Callable[[], Any]) -> Any:
    call()
    raise ConnectionResetError("made up")


def _repeated(client: FaultyClient, call: Callable[[], Any]) -> Any:
    """hdfs-native itself repeats a call whose answer was lost."""
    call()
    return call()


def _killed(client: FaultyClient, call: Callable[[], Any]) -> Any:
    client.is_dead = True
    raise Killed


FAULTS: dict[str, Fault] = {"request lost": _lost_request, "response lost": _lost_answer, "repeated": _repeated}


class FaultyClient:
    """hdfs-native's client, one of whose calls goes wrong.

    Args:
        client: hdfs-native's.
        fault: what happens.
        number: of the call, from 1.
    """

    def __init__(self, client: Any, fault: Fault, number: int) -> None:
        self._client, self._fault, self._left = client, fault, number
        self.is_dead = False

    @property
    def happened(self) -> bool:
        return self._left <= 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            if self.is_dead:
                raise Killed
            self._left -= 1
            call = lambda: getattr(self._client, name)(*given, **named)  # noqa: E731
            is_repeatable = name not in ("create", "read")  # their later parts have other ids
            if self._left == 0 and (self._fault is not _repeated or is_repeatable):
                return self._fault(self, call)
            return call()

        return called


def faulty(location: str, fault: Fault, number: int) -> tuple[RemoteStore, FaultyClient]:
    from cqa_spark.object_store.hdfs_requests import HdfsRequests

    cluster, _, folder = location.rpartition("/")
    client = FaultyClient(hdfs_native.Client(cluster), fault, number)
    return RemoteStore(HdfsRequests(client, cluster, folder), attempts=6, sleep=lambda _: None), client


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_survives_every_fault_of_every_call(
    location: str, tmp_path: Path, operation: str, fault: str
) -> None:
    for number in count(1):
        place, folder = f"{location}-{number}", tmp_path / str(number)
        folder.mkdir()
        store, client = faulty(place, FAULTS[fault], number)
        OPERATIONS[operation](store, open_store(place), folder)
        if not client.happened:
            break
    assert number > 2


@pytest.mark.parametrize("times", [1, 2], ids=["for the first time", "again"])
def test_a_writer_that_is_killed_at_any_call_leaves_one_version_and_others_go_on(location: str, times: int) -> None:
    """What it leaves is removed a day later, and the copy for other programs is that of the version."""
    for number in count(1):
        place = f"{location}-{number}"
        others = open_store(place)
        version = others.create("object", b"first")
        if times == 2:
            version = others.replace("object", OLD, version)
        before = others.read("object").data
        store, client = faulty(place, _killed, number)
        with suppress(Killed):
            store.replace("object", NEW, version)
        stored = others.read("object")
        assert stored.data in (before, NEW)
        assert others.open("object").read() == stored.data
        assert others.sizes() == {"object": len(stored.data)}
        if stored.data == NEW:
            with pytest.raises(Changed):
                others.replace("object", b"late", version)
        age(place)
        others.delete_unfinished()
        assert copy_and_hidden(place) == (stored.data, 0 if stored.version.startswith("plain:") else 2)
        others.replace("object", b"next", stored.version)
        assert others.read("object").data == b"next"
        assert copy_and_hidden(place)[0] == b"next"
        if not client.happened:
            break
    assert number > 4


def age(place: str) -> None:
    """Let all files below a folder be old."""
    cluster, _, folder = place.rpartition("/")
    client = hdfs_native.Client(cluster)
    for status in client.list_status(f"/{folder}", recursive=True):
        if not status.isdir:
            client.set_times(status.path, LONG_AGO, LONG_AGO)


def copy_and_hidden(place: str) -> tuple[bytes, int]:
    """What other programs read, and the number of hidden files."""
    cluster, _, folder = place.rpartition("/")
    client = hdfs_native.Client(cluster)
    names = [status.path for status in client.list_status(f"/{folder}", recursive=True) if not status.isdir]
    with client.read(f"/{folder}/object") as stream:
        return bytes(stream.read()), sum("/." in name for name in names)


def test_what_others_still_write_is_not_removed(location: str) -> None:
    store = open_store(location)
    writer = store.writer("table")
    writer.write(b"half")
    assert store.delete_unfinished() == {}
    writer.close()
    assert store.sizes() == {"table": 4}


def test_what_was_abandoned_is_removed_and_told(location: str) -> None:
    store = open_store(location)
    writer = store.writer("a/table")
    writer.write(b"half")
    age(location)
    [(path, _)] = store.delete_unfinished().items()
    assert path.startswith("a/.table.")


def test_a_cluster_that_does_not_answer_is_named() -> None:
    store = open_store("hdfs://127.0.0.1:1/lake", ObjectStorageSettings(attempts=1))
    with pytest.raises(EnvironmentProblem, match=r"hdfs://127\.0\.0\.1:1/lake/a: no answer from the object storage"):
        store.read("a")
