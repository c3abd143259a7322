"""The number of requests that publishing sends to a bucket does not grow with the runs before it."""

from __future__ import annotations

from fault_proxy import FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.lake.holder import Holder
from cqa_spark.lake.holding import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.storage import Lake


def test_publishing_sends_as_many_requests_after_many_runs(
    spark: SparkSession, proxied: tuple[FaultProxy, S3Server]
) -> None:
    proxy, server = proxied
    reach(spark, server)
    lake = Lake(spark, server.location("listings"), server.settings)
    log = RunLog(lake.objects)
    sent = []
    for number in range(12):
        run_id = f"r{number:02d}"
        log.append(RunRecord(run_id, "succeeded", "run", config_hash="c0ffee", config="", code_version="0"))
        before = len(proxy.requests)
        with hold(lake, Holder.of_this_process("test")) as held:
            publish(held, run_id)
        sent.append(len(proxy.requests) - before)
    assert sent[2:] == [sent[2]] * 10
