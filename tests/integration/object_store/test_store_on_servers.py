"""Objects on real servers: the contract, what a fake cannot show, and what becomes of requests that go wrong."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
from fault_proxy import FAULTS, FaultProxy
from http_servers import HttpServer
from s3_server import S3Server
from store_contract import OPERATIONS, StoreContract

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore


class TestServers(StoreContract):
    @pytest.fixture
    def store(self, server: HttpServer) -> ObjectStore:
        return server.store(uuid4().hex)


def test_more_keys_than_a_page_of_the_listing(server: HttpServer) -> None:
    store = server.store(uuid4().hex)
    names = [f"{number:04}" for number in range(1010)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.put(name, b""), names))
    assert list(store.keys()) == names
    assert list(store.keys("100")) == [f"100{digit}" for digit in range(10)]
    store.delete_all(names[1:])
    assert list(store.keys()) == names[:1]


def test_an_object_in_parts(server: HttpServer) -> None:
    store = server.store(uuid4().hex)
    writer = store.writer("large")
    piece = bytes(range(256)) * (1 << 15)  # 8 MB; a part has 64
    for _ in range(9):
        writer.write(piece)
    assert list(store.keys()) == []
    writer.close()
    assert store.sizes() == {"large": 9 * len(piece)}
    with store.open("large", 9 * len(piece) - 2) as stream:
        assert stream.read() == b"\xfe\xff"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_survives_every_fault_of_every_request(
    server: HttpServer, proxy: tuple[FaultProxy, str], tmp_path: Path, operation: str, fault: str
) -> None:
    """The first request goes wrong, then the second one of another try, until there is none left that could."""
    faults, endpoint = proxy
    for number in count(1):
        prefix, folder = uuid4().hex, tmp_path / str(number)
        folder.mkdir()
        faults.at(fault, number)
        OPERATIONS[operation](server.store(prefix, endpoint), server.store(prefix), folder)
        if not faults.all_happened:
            break
    assert number > 1
    faults.forget()


def test_a_bucket_that_is_not_there_is_named(s3: S3Server) -> None:
    with pytest.raises(EnvironmentProblem, match="NoSuchBucket") as refused:
        open_store("s3a://no-such-bucket-of-cqa/x", s3.settings).read("a")
    assert refused.value.remedy == "create the bucket, or correct its name"
