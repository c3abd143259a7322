"""Delta tables through the interface for Python, and as TREC files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from pyspark.sql import SparkSession

import cqa_spark as cqa
from cqa_spark.cli import main
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run_lifecycle import open_run
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake

TASK = "question_comment"
GRADES = {"a": 2, "b": 1, "c": 0}
SCORES = {"a": 0.25, "b": 0.5, "c": -1.0}


@pytest.fixture(scope="module")
def root(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A lake whose published run ranks one query."""
    root = str(tmp_path_factory.mktemp("api") / "lake")
    examples = [
        {
            "site": "s", "task": TASK, "query_id": "q1", "candidate_id": name, "thread_id": "q1", "fold_key": "q1",
            "initial_rank": place, "label": grade, "relevant": grade == 2, "split": "dev",
        }
        for place, (name, grade) in enumerate(GRADES.items(), start=1)
    ]  # fmt: skip
    rankings = [
        ("r1", "given_order", "s", TASK, "dev", "q1", name, score, rank, False)
        for rank, (name, score) in enumerate(sorted(SCORES.items(), key=lambda item: -item[1]), start=1)
    ]
    begin = RunRecord("r1", "running", "test", "hash", "", "0.1.0")
    with hold(Lake(spark, root), Holder.of_this_process("test")) as lake:
        with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
            names = EXAMPLES.schema.names
            rows = [tuple(row.get(name) for name in names) for row in examples]
            run.write(EXAMPLES, spark.createDataFrame(rows, EXAMPLES.schema))
            run.write(RANKINGS, spark.createDataFrame(rankings, RANKINGS.schema))
            of_query = [("given_order", "MRR@10", 0.5, [0.5]), ("given_order", "P@1", 0.0, [0.0])]
            run.write(QUERY_METRICS, spark.createDataFrame([(TASK, "dev", "s", "q1", of_query)], QUERY_METRICS.schema))
        publish(lake, "r1")
    return root


def test_tables_in_every_form(root: str) -> None:
    run = cqa.open_lake(root).run()
    assert run.tables == ("examples", "query_metrics", "rankings")
    rankings = run.rankings("given_order")
    assert rankings.to_spark().orderBy("rank").first()["candidate_id"] == "b"
    assert rankings.to_arrow().sort_by("rank").column("candidate_id").to_pylist() == ["b", "a", "c"]
    assert rankings.to_pandas().sort_values("rank")["score"].tolist() == [0.5, 0.25, -1.0]
    assert run.rankings("absent").to_arrow().num_rows == 0
    measures = run.query_metrics().to_pandas().sort_values("measure")
    assert measures[["query_id", "measure", "value"]].to_numpy().tolist() == [["q1", "MRR@10", 0.5], ["q1", "P@1", 0.0]]


def test_trec_files_of_a_run(root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "trec", str(tmp_path / "trec"), "--lake", root]) == 0
    names = [f"given_order.{TASK}.dev.run", f"{TASK}.dev.qrels"]
    assert capsys.readouterr().out.split() == [f"{tmp_path}/trec/{name}" for name in names]
    run, qrels = ((tmp_path / "trec" / name).read_text() for name in names)
    assert run == "q1 Q0 b 1 0.5 given_order\nq1 Q0 a 2 0.25 given_order\nq1 Q0 c 3 -1.0 given_order\n"
    assert qrels == "q1 0 a 1\nq1 0 b 0\nq1 0 c 0\n"


def test_a_data_set_of_a_run(root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "dataset", str(tmp_path / "data"), "--lake", root]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/data/examples: 3 (dev)",
        f"{tmp_path}/data/rankings: 3 (dev)",
    ]
    rows = pq.read_table(tmp_path / "data" / "rankings" / "split=dev", columns=["candidate_id", "score"]).to_pylist()
    assert {row["candidate_id"]: row["score"] for row in rows} == SCORES
    _, front, body = (tmp_path / "data" / "README.md").read_text().split("---\n", 2)
    assert yaml.safe_load(front)["configs"][1] == {
        "config_name": "rankings",
        "data_files": [{"split": "dev", "path": "rankings/split=dev/*.parquet"}],
    }
    assert "| `label` | int | graded relevance, 0 is none; null where not known |" in body


def test_a_system_without_rankings_has_no_files(root: str, tmp_path: Path) -> None:
    assert main(["export", "trec", str(tmp_path), "--lake", root, "--system", "length"]) == 3
    assert list(tmp_path.iterdir()) == []
