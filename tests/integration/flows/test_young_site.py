"""A site on which no question has two answers yet: its nights have findings, and nothing to rank."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from two_nights import night

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.findings import FINDING_WORTH, FINDINGS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.synth.stackexchange.dump import write_dump

pytestmark = pytest.mark.slow


def test_a_site_without_second_answers_has_nights(spark: SparkSession, tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump", site="young.example.org", threads=12, seed=1, workers=1).folder
    posts = (dump / "Posts.xml").read_text(encoding="utf-8").splitlines()
    answered: set[str] = set()
    kept = []
    for line in posts:
        parent = re.search(r'ParentId="(\d+)"', line)
        if parent is None or parent[1] not in answered:
            kept.append(line)
        if parent is not None:
            answered.add(parent[1])
    (dump / "Posts.xml").write_text("\n".join(kept), encoding="utf-8")
    lake = Lake(spark, str(tmp_path / "lake"))
    assert main(night(lake.root, tmp_path / "dump", "r1", "--no-tracking.enabled")) == 0
    published = published_snapshot(lake)
    assert published.record.run_id == "r1"
    assert published.rows(RANKINGS) == 0
    assert published.rows(POSTS) == len(kept) - sum("<row " not in line for line in kept)
    assert {row["kind"] for row in published.read(FINDINGS).collect()} <= {"related_question", "duplicate_question"}
    assert {entry["kind"] for entry in published.entries(FINDING_WORTH)} == {
        "contradicted_acceptance", "duplicate_question", "late_answer", "related_question",
    }  # fmt: skip
    assert main(night(lake.root, tmp_path / "dump", "r2", "--no-tracking.enabled")) == 0
