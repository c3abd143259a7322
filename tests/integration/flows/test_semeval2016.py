"""The main job on the real development set; `tasks/test_tasks_real.py` has the given order alone, without training."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.snapshot import published_snapshot


@pytest.mark.more
def test_the_given_order_to_the_digit_and_a_learned_system_far_above_it(
    spark: SparkSession, cqa_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learned from one of the four training files."""
    monkeypatch.setenv("CQA_DATA", str(cqa_data))
    train = cqa_data / "semeval2016-task3/train/SemEval2016-Task3-CQA-QL-train-part2.xml"
    lake = Lake(spark, str(tmp_path / "lake"))
    assert (
        main(
            [
                "run",
                "--config",
                "conf/semeval2016.yaml",
                "--lake",
                lake.root,
                "--train",
                str(train),
                "--no-tracking.enabled",
                "--systems",
                "given_order",
                "logistic_a",
                "--evaluation.resamples",
                "999",
            ]
        )
        == 0
    )
    rows = [entry for entry in published_snapshot(lake).entries(METRICS) if entry["split"] == "dev"]
    values = {(row["system"], row["measure"]): row["value"] for row in rows}
    assert round(values["given_order", "MAP@10"], 4) == 0.5384
    assert round(values["given_order", "AvgRec@10"], 4) == 0.7278
    assert round(100 * values["given_order", "MRR@10"], 2) == 63.13
    assert values["logistic_a", "MAP@10"] >= 0.65
