"""Objects on a real server: what a fake cannot show."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from s3_server import S3Server

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore


@pytest.fixture
def store(s3: S3Server, request: pytest.FixtureRequest) -> ObjectStore:
    return open_store(s3.location("store", request.node.name), s3.settings)


def test_one_of_many_creates(store: ObjectStore) -> None:
    def create(number: int) -> bool:
        try:
            store.create("lease", str(number).encode())
        except AlreadyThere:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(40))) == 1


def test_no_increment_is_lost(store: ObjectStore) -> None:
    store.create("count", b"0 first")

    def increment(who: int) -> None:
        while True:
            stored = store.read("count")
            try:
                store.replace("count", b"%d %d" % (int(stored.data.split()[0]) + 1, who), stored.version)
            except Changed:
                continue
            return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(increment, range(20)))
    assert store.read("count").data.split()[0] == b"20"


def test_more_keys_than_a_page_of_the_listing(store: ObjectStore) -> None:
    names = [f"{number:04}" for number in range(1010)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.put(name, b""), names))
    assert list(store.keys()) == names
    assert list(store.keys("100")) == [f"100{digit}" for digit in range(10)]


def test_a_bucket_that_is_not_there_is_named(s3: S3Server) -> None:
    with pytest.raises(EnvironmentProblem, match="NoSuchBucket") as refused:
        open_store("s3a://no-such-bucket-of-cqa/x", s3.settings).read("a")
    assert refused.value.remedy == "create the bucket, or correct its name"
