"""Objects on a real server: what a fake cannot show."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from s3_server import S3Server
from store_races import creations, increments

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore


@pytest.fixture
def store(s3: S3Server, request: pytest.FixtureRequest) -> ObjectStore:
    return open_store(s3.location("store", request.node.name), s3.settings)


def test_of_many_who_write_at_once(store: ObjectStore) -> None:
    assert (creations(store), increments(store, 20)) == (1, 20)


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
