"""Faults between us and the storage: what was written is read in full, once, and nobody has to guess."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from fault_proxy import FAULTS, FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.object_store.bucket import Bucket
from cqa_spark.object_store.opening import open_store, s3_client
from cqa_spark.object_store.store import AlreadyThere, Changed
from cqa_spark.object_store.transfers import download, upload

TABLE = Path(__file__).resolve().parents[3] / "docs" / "reliability.md"
STARTS, ENDS = "<!-- storage faults: made by the tests -->\n", "<!-- end of storage faults -->\n"
OLD, NEW = b"old " * 1000, b"new " * 1000
Outcomes = dict[tuple[str, str], dict[str, int]]
"""Requests by fault, by operation and what came of it."""


@pytest.fixture(scope="module")
def outcomes() -> Iterator[Outcomes]:
    """What came of the faults, for people; ``CQA_WRITE_TABLES=1`` keeps it in the documentation."""
    found: Outcomes = defaultdict(dict)
    yield found
    lines = [f"| operation | outcome | {' | '.join(FAULTS)} |", f"|---|---|{'---|' * len(FAULTS)}"]
    for (operation, outcome), by_fault in found.items():
        requests = [str(by_fault.get(fault, "")) for fault in FAULTS]
        lines.append(f"| {operation} | {outcome} | {' | '.join(requests)} |")
    text = "\n".join(lines) + "\n"
    print(f"\n{text}")
    if os.environ.get("CQA_WRITE_TABLES"):
        before, _, rest = TABLE.read_text(encoding="utf-8").partition(STARTS)
        TABLE.write_text(f"{before}{STARTS}{text}{ENDS}{rest.partition(ENDS)[2]}", encoding="utf-8")


def read(store: Bucket, there: Bucket, _: Path) -> str:
    there.put("object", OLD)
    assert store.read("object").data == OLD
    return "read in full"


def put(store: Bucket, there: Bucket, _: Path) -> str:
    store.put("object", NEW)
    assert there.read("object").data == NEW
    return "written in full"


def create(store: Bucket, there: Bucket, _: Path) -> str:
    version = store.create("object", NEW)
    assert (there.read("object").data, there.read("object").version) == (NEW, version)
    with pytest.raises(AlreadyThere):
        store.create("object", OLD)
    return "created once; a second one is refused"


def create_second(store: Bucket, there: Bucket, _: Path) -> str:
    there.create("object", OLD)
    with pytest.raises(AlreadyThere):
        store.create("object", NEW)
    assert there.read("object").data == OLD
    return "refused; the first one stays"


def replace(store: Bucket, there: Bucket, _: Path) -> str:
    before = there.create("object", OLD)
    version = store.replace("object", NEW, before)
    assert (there.read("object").data, there.read("object").version) == (NEW, version)
    with pytest.raises(Changed):
        store.replace("object", OLD, before)
    return "replaced once; a second one is refused"


def replace_changed(store: Bucket, there: Bucket, _: Path) -> str:
    before = there.create("object", OLD)
    there.replace("object", b"theirs", before)
    with pytest.raises(Changed):
        store.replace("object", NEW, before)
    assert there.read("object").data == b"theirs"
    return "refused; theirs stays"


def delete(store: Bucket, there: Bucket, _: Path) -> str:
    there.put("object", OLD)
    store.delete("object")
    assert there.read("object") is None
    return "gone"


def list_keys(store: Bucket, there: Bucket, _: Path) -> str:
    for name in ("a", "b", "c"):
        there.put(name, b"")
    assert list(store.keys()) == ["a", "b", "c"]
    return "listed in full"


def fetch(store: Bucket, there: Bucket, folder: Path) -> str:
    there.put("object", OLD)
    download(store, "object", folder / "copy")
    assert (folder / "copy").read_bytes() == OLD
    assert [each.name for each in folder.iterdir()] == ["copy"]
    return "copied in full"


def send(store: Bucket, there: Bucket, folder: Path) -> str:
    (folder / "file").write_bytes(NEW)
    upload(store, folder / "file", "object")
    assert there.read("object").data == NEW
    return "written in full"


OPERATIONS: dict[str, tuple[str, Callable[[Bucket, Bucket, Path], str]]] = {
    "read": ("GET", read),
    "put": ("PUT", put),
    "create": ("PUT", create),
    "create what is there": ("PUT", create_second),
    "replace": ("PUT", replace),
    "replace what changed": ("PUT", replace_changed),
    "delete": ("DELETE", delete),
    "list": ("GET", list_keys),
    "download": ("GET", fetch),
    "upload": ("PUT", send),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_survives_every_fault(
    s3: S3Server, proxied: tuple[FaultProxy, S3Server], outcomes: Outcomes, tmp_path: Path, operation: str, fault: str
) -> None:
    (proxy, server), (method, act) = proxied, OPERATIONS[operation]
    place = uuid4().hex
    there = open_store(s3.location("faults", place), s3.settings)
    faulty = Bucket(s3_client(server.settings), s3.bucket, f"{s3.run}/faults/{place}", attempts=6, sleep=lambda _: None)
    asked = len(proxy.requests)
    proxy.next(fault, method)
    outcome = act(faulty, there, tmp_path)
    assert proxy.all_happened
    outcomes[operation, outcome][fault] = len(proxy.requests) - asked


@pytest.mark.parametrize("fault", FAULTS)
def test_a_delta_table_survives_every_fault(
    spark: SparkSession, s3: S3Server, proxied: tuple[FaultProxy, S3Server], outcomes: Outcomes, fault: str
) -> None:
    """One fault while a data file is written, one at the commit, one while rows are read."""
    proxy, server = proxied
    reach(spark, server)
    place = server.location("delta", uuid4().hex)
    spark.range(100, numPartitions=1).write.format("delta").save(place)
    asked = len(proxy.requests)
    proxy.next(fault, "PUT", "part-")
    proxy.next(fault, "PUT", "00000000000000000001.json")
    spark.range(100, 200, numPartitions=1).write.format("delta").mode("append").save(place)
    proxy.next(fault, "GET", "part-")
    rows = sorted(row.id for row in spark.read.format("delta").load(place).collect())
    assert rows == list(range(200))
    assert proxy.all_happened
    outcomes["Delta: append, read back", "every row once"][fault] = len(proxy.requests) - asked
