"""What a publish asks of a bucket does not grow with the number of runs before it."""

from __future__ import annotations

import pytest
from fault_proxy import FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.storage import Lake

COMMITS_OF_A_RUN = 2
RUNS_BETWEEN_CHECKPOINTS = 10 // COMMITS_OF_A_RUN
"""Delta sums up its log after ten commits; until then a reader lists what came since."""


@pytest.mark.slow
def test_a_publish_lists_no_more_after_many_runs(spark: SparkSession, proxied: tuple[FaultProxy, S3Server]) -> None:
    proxy, server = proxied
    reach(spark, server)
    lake = Lake(spark, server.location("listings"), server.settings)
    log = RunLog(lake.objects)
    listed = []
    for number in range(3 * RUNS_BETWEEN_CHECKPOINTS + 2):
        run_id = f"r{number}"
        log.append(RunRecord(run_id, "succeeded", "run", config_hash="c0ffee", config="", code_version="0"))
        before = proxy.keys_listed
        with hold(lake, Holder.of_this_process("test")) as held:
            publish(held, run_id)
        listed.append(proxy.keys_listed - before)
    # The last two runs and the two that came as long after the checkpoint before; that one had a checkpoint before too.
    assert listed[-2:] == listed[2 * RUNS_BETWEEN_CHECKPOINTS :][:2]
