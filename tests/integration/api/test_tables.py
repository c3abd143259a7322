"""Tables through the interface for Python, and as TREC files."""

from pathlib import Path

import ir_measures
import pyarrow.parquet as pq
import pytest
import yaml
from ir_measures import AP, RR, P, nDCG
from pyspark.sql import SparkSession

import cqa_spark as cqa
from cqa_spark.cli import main
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS

TASK = "question_comment"
GRADES = {"a": 2, "b": 1, "c": 0, "d": 2, "e": 1, "u": None}
SCORES = {"u": 0.75, "b": 0.5, "a": 0.25, "d": 0.25, "e": 0.25, "c": -1.0}
"""In the order of ranks; ``u`` has no judgment."""

MEASURES = ("AP@1000", "nDCG@10", "P@1", "P@3", "MRR@10")


@pytest.fixture(scope="module")
def root(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A lake whose published run ranks one query."""
    root = str(tmp_path_factory.mktemp("api") / "lake")
    examples = [
        {
            "site": "s", "task": TASK, "query_id": "q1", "candidate_id": name, "thread_id": "q1", "fold_key": "q1",
            "initial_rank": place, "label": grade, "relevant": None if grade is None else grade == 2, "split": "dev",
        }
        for place, (name, grade) in enumerate(GRADES.items(), start=1)
    ]  # fmt: skip
    rankings = [
        ("r1", "given_order", "s", TASK, "dev", "q1", name, score, rank, False, None, None)
        for rank, (name, score) in enumerate(SCORES.items(), start=1)
    ]
    begin = RunRecord("r1", "running", "test", "hash", "", "0.1.0")
    with hold(Lake(spark, root), Holder.of_this_process("test")) as lake:
        with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
            names = EXAMPLES.schema.names
            rows = [tuple(row.get(name) for name in names) for row in examples]
            run.write(EXAMPLES, spark.createDataFrame(rows, EXAMPLES.schema))
            run.write(RANKINGS, spark.createDataFrame(rankings, RANKINGS.schema))
            of_query = [("given_order", "MRR@10", 0.5, [0.5]), ("given_order", "P@1", 0.0, [0.0])]
            run.write(
                QUERY_METRICS,
                spark.createDataFrame(
                    [(TASK, "dev", "s", "q1", "q1", of_query, None, None, None)], QUERY_METRICS.schema
                ),
            )
        publish(lake, "r1")
    return root


def test_tables_in_every_form(root: str) -> None:
    run = cqa.open_lake(root).run()
    assert run.tables == ("examples", "query_metrics", "rankings")
    rankings = run.rankings("given_order")
    assert rankings.to_spark().orderBy("rank").first()["candidate_id"] == "u"
    assert rankings.to_arrow().sort_by("rank").column("candidate_id").to_pylist() == [*SCORES]
    assert rankings.to_pandas().sort_values("rank")["score"].tolist() == [*SCORES.values()]
    assert run.rankings("absent").to_arrow().num_rows == 0
    measures = run.query_metrics().to_pandas().sort_values("measure")
    assert measures[["query_id", "measure", "value"]].to_numpy().tolist() == [["q1", "MRR@10", 0.5], ["q1", "P@1", 0.0]]


def test_trec_files_of_a_run_reproduce_its_measures(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "trec", str(tmp_path / "trec"), "--lake", root]) == 0
    run, qrels = tmp_path / f"trec/given_order.{TASK}.dev.run", tmp_path / f"trec/{TASK}.dev.qrels"
    printed = capsys.readouterr()
    assert printed.out.split() == [str(run), str(qrels)]
    assert printed.err.splitlines()[-1] == (
        f"as in the report: cqa evaluate-file {qrels} RUN --relevance-level 2 --judged-only, "
        f"or trec_eval -c -l 2 -J {qrels} RUN"
    )
    scores = ["0.75", "0.5", "0.25", "0.2499999850988388", "0.2499999701976776", "-1.0"]
    lines = zip(SCORES, enumerate(scores, start=1), strict=True)
    assert run.read_text() == "".join(f"q1 Q0 {name} {rank} {score} given_order\n" for name, (rank, score) in lines)
    assert qrels.read_text() == "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq1 0 d 2\nq1 0 e 1\n"

    tables = cqa.open_lake(root).run()
    measures = [*map(parse_measure, MEASURES)]
    frames = tables.rankings("given_order").to_spark(), tables.table("examples").to_spark()
    reported = {name: value for _, name, value, _ in query_metrics(*frames, measures).first()["measures"]}
    options = {"relevance_level": 2, "judged_only": True}
    assert cqa.evaluate(qrels, run, MEASURES, **options) == pytest.approx(reported, abs=1e-12)
    assert cqa.evaluate(qrels, run, MEASURES, precision="single", **options) == pytest.approx(reported, abs=1e-12)
    peer = {"rel": 2, "judged_only": True}
    peers = [AP(**peer), nDCG(judged_only=True) @ 10, P(**peer) @ 1, P(**peer) @ 3, RR(**peer)]
    theirs = ir_measures.calc_aggregate(
        peers, [*ir_measures.read_trec_qrels(str(qrels))], [*ir_measures.read_trec_run(str(run))]
    )
    assert [reported[name] for name in MEASURES] == pytest.approx([theirs[each] for each in peers], abs=1e-12)


def test_a_data_set_of_a_run(root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "dataset", str(tmp_path / "data"), "--lake", root]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/data/examples: 6 (dev)",
        f"{tmp_path}/data/rankings: 6 (dev)",
    ]
    rows = pq.read_table(tmp_path / "data" / "rankings" / "split=dev", columns=["candidate_id", "score"]).to_pylist()
    assert {row["candidate_id"]: row["score"] for row in rows} == SCORES
    _, front, body = (tmp_path / "data" / "README.md").read_text().split("---\n", 2)
    assert yaml.safe_load(front)["configs"][1] == {
        "config_name": "rankings",
        "data_files": [{"split": "dev", "path": "rankings/split=dev/*.parquet"}],
    }
    assert "| `label` | int | graded relevance, 0 is none; null where not known |" in body
    assert "| question comment: candidates | 6 |\n| Good | 2 |\n| PotentiallyUseful | 2 |\n| Bad | 1 |\n" in body


def test_a_system_without_rankings_has_no_files(root: str, tmp_path: Path) -> None:
    assert main(["export", "trec", str(tmp_path), "--lake", root, "--system", "length"]) == 3
    assert list(tmp_path.iterdir()) == []
