"""Nights on a folder of threads: trained in the first, then ranked as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.synth.qatar_living import write_sample

SYSTEM = "logistic_a"


def published(lake: Path, table: str) -> pa.Table:
    files = DeltaTable(str(lake / "tables" / table)).file_uris()
    return pa.concat_tables(pq.read_table(file) for file in files)


@pytest.mark.more
def test_the_second_night_ranks_with_the_model_of_the_first(spark: SparkSession, tmp_path: Path) -> None:
    sample, new, lake = tmp_path / "sample", tmp_path / "new", tmp_path / "lake"
    write_sample(sample, threads=40, dev_threads=12, seed=1)
    new.mkdir()
    shutil.copy(sample / "dev.xml", new)
    night = ["nightly", "--system", SYSTEM, "--input", str(new), "--lake", str(lake), "--evaluation.resamples", "99"]
    assert main(night) == 2, "neither files to learn from nor a model"
    assert main([*night, "--train", str(sample / "train.xml")]) == 0
    first = published(lake, "rankings").select(["system", "query_id", "candidate_id", "rank"])
    assert main(night) == 0
    second = published(lake, "rankings").select(["system", "query_id", "candidate_id", "rank"])
    assert set(first["system"].to_pylist()) == {SYSTEM, "given_order"}
    assert sorted(map(tuple, map(dict.values, first.to_pylist()))) == sorted(
        map(tuple, map(dict.values, second.to_pylist()))
    )
    assert set(published(lake, "examples")["split"].to_pylist()) == {"test"}
