"""A bucket without space: the job says so and what to do, and readers see what they saw."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from fault_proxy import FaultProxy
from pyspark.sql import SparkSession
from s3_server import S3Server, reach

from cqa_spark.cli import main
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.snapshot import published_runs
from cqa_spark.object_store.locations import open_store
from cqa_spark.synth.qatar_living import write_sample

ANSWERS = [(507, "InsufficientStorage"), (403, "QuotaExceeded")]


@pytest.mark.parametrize(("status", "code"), ANSWERS)
def test_our_own_requests_are_not_repeated(
    proxied: tuple[FaultProxy, S3Server], tmp_path: Path, status: int, code: str
) -> None:
    proxy, server = proxied
    store = open_store(server.location("full", uuid4().hex), server.settings)
    (tmp_path / "file").write_bytes(b"new")
    asked = len(proxy.requests)
    with proxy.full(status, code):
        with pytest.raises(EnvironmentProblem, match=f"/object: the object storage is full: {status} {code}"):
            store.create("object", b"new")
        with pytest.raises(EnvironmentProblem, match=f"/object: the object storage is full: {status} {code}"):
            store.upload(tmp_path / "file", "object")
    assert [each.split()[0] for each in proxy.requests[asked:]] == ["PUT", "PUT"]
    assert store.read("object") is None


@pytest.mark.more
def test_a_job_that_fills_the_bucket_leaves_what_is_published(
    spark: SparkSession, proxied: tuple[FaultProxy, S3Server], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    proxy, server = proxied[0], replace(proxied[1], settings=proxied[1].settings.model_copy(update={"attempts": 2}))
    reach(spark, server)
    sample = write_sample(tmp_path, threads=3, dev_threads=1, seed=5)
    lake = Lake(spark, server.location("full", uuid4().hex), server.settings)
    flags = ["--lake", lake.root, *server.flags, "--object-storage.attempts", "2"]
    assert main(["ingest", "--train", str(sample.train), "--run-id", "r1", *flags]) == 0
    assert main(["runs", "publish", "r1", *flags]) == 0
    capfd.readouterr()
    with proxy.full(507, "InsufficientStorage", within="/tables/posts/"):
        assert main(["ingest", "--train", str(sample.train), "--run-id", "r2", *flags]) == 4
    said = capfd.readouterr().err
    assert f"cqa: {lake.root}/tables/posts" in said
    assert ".parquet: the object storage is full: 507 InsufficientStorage" in said
    assert "\n  → remove unneeded files (cqa runs gc)" in said
    assert "Traceback" not in said
    [published] = published_runs(lake)
    assert published.run_id == "r1"
    assert [record.status for record in RunLog(lake.objects).records("r2")] == ["running", "failed"]
