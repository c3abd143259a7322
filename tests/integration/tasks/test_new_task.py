"""What ``cqa new task`` writes makes examples, and those of a site that has not changed are kept."""

from importlib import import_module
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from small_runs import opened, published

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.snapshot import published_snapshot


def test_a_new_task(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["new", "task", "best_answer", "--output", str(tmp_path)]) == 0
    monkeypatch.syspath_prepend(str(tmp_path / "best_answer"))
    task, its_test = import_module("best_answer.task"), import_module("test_best_answer")
    its_test.test_the_accepted_answer_is_relevant()
    posts = spark.createDataFrame(its_test.POSTS, its_test.SCHEMA)
    posts = posts.withColumns({"split": F.lit("unannotated"), "source_file": F.lit("Posts.xml")})
    lake = Lake(spark, str(tmp_path / "lake"))

    counts = StepRecord("pair")
    with opened(lake, "r1") as run:
        run.write(POSTS, POSTS.complete(posts))
        task.PairBestAnswer().execute(run, counts)
    published(lake, "r1")
    last = published_snapshot(lake)
    with opened(lake, "r2") as run:
        run.put(POSTS, last.files(POSTS))
        task.PairBestAnswer(last).execute(run, counts)
    assert run.files(EXAMPLES) == last.files(EXAMPLES)
    assert (counts.rows_in, counts.rows_out) == (3, 2)
