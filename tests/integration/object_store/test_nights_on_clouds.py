"""A night whose lake is in Google's or Azure's storage, and ``cqa doctor`` there."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from http_servers import CLOUDS, HttpServer
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.commands.doctor_services import examine_storage
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.object_store.locations import open_store, send
from cqa_spark.object_store.store import delta_options
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.synth.stackexchange.dump import write_dump

pytestmark = pytest.mark.more
STORAGE = ObjectStorageSettings(timeout=20)


@pytest.fixture(scope="module", params=CLOUDS)
def cloud(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with CLOUDS[request.param](tmp_path_factory.mktemp(request.param)) as started:
        yield started


def test_the_doctor_finds_what_publishing_needs(cloud: HttpServer) -> None:
    findings = list(examine_storage(open_store(cloud.location(), STORAGE), f"cqa-{uuid4().hex}", STORAGE))
    assert [finding.verdict for finding in findings] == ["ok"] * 8, findings


def test_a_night_is_that_of_a_local_lake(spark: SparkSession, cloud: HttpServer, tmp_path: Path) -> None:
    """The dump lies there, too. Tasks read the tables: Spark has no connector."""
    dump = write_dump(tmp_path, site="cloud.example.org", threads=60, seed=3).folder
    night = ["nightly", "--run-id", "r", "--no-tracking.enabled"]
    assert main([*night, "--input", str(dump), "--lake", str(tmp_path / "lake")]) == 0
    place = cloud.location()
    send(dump, f"{place}/{dump.name}", STORAGE)
    assert main([*night, "--input", f"{place}/{dump.name}", "--lake", f"{place}/lake"]) == 0
    there, here = (published_snapshot(Lake(spark, lake)) for lake in (f"{place}/lake", str(tmp_path / "lake")))
    for table in (POSTS, RANKINGS):
        expected, read = (
            snapshot.read(table).drop("source_file").orderBy(*table.key).collect() for snapshot in (here, there)
        )
        assert read == expected != []
    published = DeltaTable(f"{place}/lake/tables/{RANKINGS.name}", storage_options=delta_options(place, STORAGE))
    assert published.to_pyarrow_table().num_rows == there.read(RANKINGS).count()


def test_every_row_of_writers_at_the_same_time_is_kept(cloud: HttpServer) -> None:
    """Of Delta's own writers, which have no lease, some fail on Azurite, whose listings start at the first key."""
    table, options = cloud.location("table"), delta_options(f"{cloud.scheme}://b", STORAGE)
    write_deltalake(table, pa.table({"a": [0]}), storage_options=options)

    def append(number: int) -> int:
        try:
            write_deltalake(table, pa.table({"a": [number]}), mode="append", storage_options=options)
        except Exception:
            return 0
        return number

    with ThreadPoolExecutor(6) as pool:
        succeeded = list(pool.map(append, range(1, 13)))
    kept = DeltaTable(table, storage_options=options).to_pyarrow_table()["a"].to_pylist()
    assert sorted(kept) == [0, *sorted(filter(None, succeeded))]
    assert cloud.scheme == "az" or 0 not in succeeded
