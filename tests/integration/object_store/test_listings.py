"""The number of requests that publishing sends to a bucket does not grow with the runs before it."""

import pytest
from fault_proxy import FaultProxy
from s3_server import S3Server

from cqa_spark.lake import delta_tables
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.manifest import RunManifest, write_manifest
from cqa_spark.lake.opening import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.table import DataFile, TableFiles

CHECKPOINT = 3
"""Commits after which Delta writes a checkpoint of a table's log, here; readers read only the commits since."""


def test_publishing_sends_as_many_requests_after_many_runs(
    proxied: tuple[FaultProxy, S3Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = proxied
    monkeypatch.setitem(delta_tables._CONFIGURATION, "delta.checkpointInterval", str(CHECKPOINT))
    lake = Lake(no_session, server.location("listings"), server.settings)
    sent = []
    for number in range(3 * CHECKPOINT + 2):
        succeeded(lake, f"r{number:02d}", number + 1)
        before = len(proxy.requests)
        with hold(lake, Holder.of_this_process("test")) as held:
            publish(held, f"r{number:02d}")
        sent.append(len(proxy.requests) - before)
    assert sent[-CHECKPOINT:] == sent[-2 * CHECKPOINT : -CHECKPOINT]


def no_session() -> None:
    raise AssertionError("publishing needs no Spark")


def succeeded(lake: Lake, run_id: str, attempt: int) -> None:
    """Record a run with a table of one file."""
    record = RunRecord(run_id, "succeeded", "run", config_hash="c0ffee", config="", code_version="0", attempt=attempt)
    path = f"{TABLES}/{USERS.name}/{run_id}.{attempt}/write/part-0.parquet"
    lake.objects.put(path, b"rows")
    files = TableFiles(tuple(USERS.schema.names), (DataFile(path, 4, 1, {"site": "a.org"}),))
    write_manifest(lake.objects, record, RunManifest({USERS.name: files}))
    RunLog(lake.objects).append(record)
