"""Faults between us and the storage of a table: what was written is read in full, once."""

from uuid import uuid4

import pytest
from deltalake import DeltaTable
from fault_proxy import FAULTS, FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.commands.doctor_services import examine_storage
from cqa_spark.lake.delta_tables import update_tables
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.table import TableFiles
from cqa_spark.lake.writing import Destination, write_files
from cqa_spark.object_store.locations import open_store


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


def test_doctor_names_what_is_refused_and_leaves_nothing(s3: S3Server, proxied: tuple[FaultProxy, S3Server]) -> None:
    """One request is refused, each in turn: a check fails, or the request was one that nobody depends on."""
    proxy, server = proxied
    store = open_store(server.location("doctor"), server.settings)
    failed, number = [], 0
    while not number or proxy.all_happened:
        number += 1
        proxy.at("AccessDenied", number)
        findings = list(examine_storage(store, f"trial{number}", server.settings))
        failed += [finding for finding in findings if finding.verdict == "failed"]
        assert list(open_store(s3.location("doctor"), s3.settings).keys()) == []
    assert {finding.check for finding in failed} == {
        f"storage: {what}"
        for what in (
            "write", "read", "list", "create once", "replace once", "upload in parts", "delete", "commit to a table",
        )
    }  # fmt: skip
    assert [finding.found for finding in failed if "AccessDenied" not in finding.found] == []


def test_doctor_overcomes_cut_answers_but_those_that_deltalake_does_not_ask_for_again(
    s3: S3Server, proxied: tuple[FaultProxy, S3Server]
) -> None:
    proxy, server = proxied
    store = open_store(server.location("doctor"), server.settings)
    for number in range(1, 17):  # until the commit to a table
        proxy.at("answer cut", number)
        assert {finding.verdict for finding in examine_storage(store, "trial", server.settings)} == {"ok"}
    proxy.next("answer cut", "GET", "list-type=2&prefix=run%2Fdoctor%2Ftrial%2F_delta_log")
    *_, last = examine_storage(store, "trial", server.settings)
    assert (last.check, last.verdict) == ("storage: commit to a table", "failed")
    assert last.found.startswith(f"{store.root}/trial: Generic S3 error")
    assert list(open_store(s3.location("doctor"), s3.settings).keys()) == []
