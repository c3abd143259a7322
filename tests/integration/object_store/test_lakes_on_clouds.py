"""Google's and Azure's storage as a lake needs them: ``cqa doctor``, and Delta's own writers."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from http_servers import CLOUDS, HttpServer

from cqa_spark.commands.doctor_services import examine_storage
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import delta_options
from cqa_spark.settings.sections import ObjectStorageSettings

pytestmark = pytest.mark.more
STORAGE = ObjectStorageSettings(timeout=20)


@pytest.fixture(scope="module", params=CLOUDS)
def cloud(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with CLOUDS[request.param](tmp_path_factory.mktemp(request.param)) as started:
        yield started


def test_the_doctor_finds_what_publishing_needs(cloud: HttpServer) -> None:
    findings = list(examine_storage(open_store(cloud.location(), STORAGE), f"cqa-{uuid4().hex}", STORAGE))
    assert [finding.verdict for finding in findings] == ["ok"] * 8, findings


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
