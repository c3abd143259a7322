"""Faults between us and the storage of a table: what was written is read in full, once."""

from uuid import uuid4

import pytest
from deltalake import DeltaTable
from fault_proxy import FAULTS, FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.lake.delta_tables import update_tables
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.table import TableFiles
from cqa_spark.lake.writing import Destination, write_files


@pytest.mark.parametrize("fault", FAULTS)
def test_a_table_survives_every_fault(
    spark: SparkSession, s3: S3Server, proxied: tuple[FaultProxy, S3Server], fault: str
) -> None:
    """One fault while a task writes a file, one at each commit to the table's log, one while rows are read."""
    proxy, server = proxied
    reach(spark, server)
    lake = Lake(spark, server.location("written", uuid4().hex), server.settings)
    location = lake.path(TABLES, USERS.name)
    users = [("a.org", "1", "f"), ("b.org", "2", "f")]
    rows = spark.createDataFrame(users, "site string, user_id string, source_file string").coalesce(1)
    proxy.next(fault, "PUT", "part-")
    folder = f"{TABLES}/{USERS.name}/r1.1/write"
    found = write_files(USERS.complete(rows), Destination(USERS, lake.root, folder, lake.storage))
    files = TableFiles(tuple(USERS.schema.names), found)
    for number, published in enumerate((files, files.without({"b.org"}))):
        proxy.next(fault, "PUT", f"/users/_delta_log/{number:020}.json")
        update_tables(lake, {USERS.name: published}, number + 1, before_commit=lambda: None)
        table = DeltaTable(location.replace("s3a://", "s3://"), storage_options=server.delta_options)
        assert (table.version(), len(table.file_uris())) == (number, len(published.files))
    proxy.next(fault, "GET", "part-")
    assert sorted(row["user_id"] for row in lake.read(USERS, files).collect()) == ["1", "2"]
    assert proxy.all_happened
