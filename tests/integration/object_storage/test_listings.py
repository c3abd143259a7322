"""What a publish asks of a bucket does not grow with the number of runs before it."""

from __future__ import annotations

from fault_proxy import FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.storage import Lake

BETWEEN_CHECKPOINTS = 10
"""Commits after which Delta sums up its log."""


def test_a_publish_lists_no_more_after_many_runs(spark: SparkSession, proxied: tuple[FaultProxy, S3Server]) -> None:
    proxy, server = proxied
    reach(spark, server)
    lake = Lake(spark, server.location("listings"), server.settings)
    log = RunLog(lake)
    listed = []
    for number in range(1, BETWEEN_CHECKPOINTS + 3):
        run_id = f"r{number}"
        log.append(RunRecord(run_id, "succeeded", "run", config_hash="c0ffee", config="", code_version="0"))
        before = proxy.keys_listed
        publish(lake, run_id)
        listed.append(proxy.keys_listed - before)
    commits = [2 * number for number in range(1, len(listed) + 1)]
    print(dict(zip(commits, listed, strict=True)))
    assert listed[-1] <= listed[-1 - BETWEEN_CHECKPOINTS // 2]
    assert max(listed[-BETWEEN_CHECKPOINTS // 2 :]) <= max(listed[: BETWEEN_CHECKPOINTS // 2 + 1])
