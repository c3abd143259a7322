"""The main job on the invented forum: what it leaves behind."""

import shutil
from pathlib import Path

import pytest
from golden.run import GoldenRun
from pyspark.sql import functions as F

from cqa_spark.cli import main
from cqa_spark.evaluation.evaluate import evaluate
from cqa_spark.evaluation.files.semeval import ranked_file, read_official
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunRecord, StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.steps.kept_models import KeepModels
from cqa_spark.synth.qatar_living import SamplePaths

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def published(question_comment_run: GoldenRun) -> Snapshot:
    return question_comment_run.snapshot


def figures(metrics: list[Entry]) -> dict[tuple[str, str], float]:
    return {(entry["system"], entry["measure"]): entry["value"] for entry in metrics}


def test_the_run_is_published_with_every_step_accounted_for(published: Snapshot) -> None:
    record = published.record
    assert (record.run_id, record.status) == ("r1", "published")
    ingest, *middle, features, train, score, evaluate, report, threads, pages = record.steps
    assert [each.step for each in (ingest, features, train, score, evaluate, report, threads, pages)] == [
        "ingest", "features", "train", "score", "evaluate", "report", "threads", "pages",
    ]  # fmt: skip
    assert sorted(step.step for step in middle) == ["pair", "text"]  # side by side
    assert (ingest.rows_in, ingest.rows_out, ingest.rows_quarantined) == (56, 55, 1)
    assert [(Path(each.path).name, each.split) for each in record.inputs] == [
        ("train.xml", "train"),
        ("dev.xml", "dev"),
    ]
    assert all(each.bytes == Path(each.path).stat().st_size and len(each.sha256 or "") == 64 for each in record.inputs)


def test_the_broken_thread_is_in_quarantine_where_it_stood(published: Snapshot, sample: SamplePaths) -> None:
    (broken,) = published.read(QUARANTINE).collect()
    raw = sample.train.read_bytes()
    assert raw[broken["byte_offset"] :].startswith(b'<OrgQuestion ORGQ_ID="Q0">')
    assert "entit" in broken["reason"]
    assert "&undeclared;" in broken["raw"]
    (counts,) = (entry for entry in published.entries(INGESTED_FILES) if entry["split"] == "train")
    assert (counts["rows_in"], counts["rows_out"], counts["rows_quarantined"]) == (41, 40, 1)


def test_every_query_is_ranked_whole_by_every_system(published: Snapshot) -> None:
    dev = published.read(EXAMPLES).where("task = 'question_comment' and split = 'dev'")
    candidates = {row["query_id"]: row["count"] for row in dev.groupBy("query_id").count().collect()}
    ranks = published.read(RANKINGS).groupBy("system", "query_id").agg(F.sort_array(F.collect_list("rank")))
    found = {(row[0], row[1]): row[2] for row in ranks.collect()}
    assert found == {
        (system, query): list(range(1, count + 1))
        for system in ("given_order", "learned")
        for query, count in candidates.items()
    }


def test_the_learned_system_beats_the_given_order(published: Snapshot) -> None:
    values = figures(published.entries(METRICS))
    assert values["learned", "MAP@10"] > values["given_order", "MAP@10"] + 0.1
    (map_test,) = (entry for entry in published.entries(COMPARISONS) if entry["measure"] == "MAP@10")
    assert (map_test["system"], map_test["baseline"]) == ("learned", "given_order")
    assert map_test["difference"] == values["learned", "MAP@10"] - values["given_order", "MAP@10"]


def test_the_report_stands_alone_and_shows_the_quarantine(published: Snapshot) -> None:
    page = Path(published.record.artifacts["report"]).read_text(encoding="utf-8")
    assert "learned" in page
    assert "&amp;undeclared;" in page
    assert "&undeclared;" not in page.replace("&amp;undeclared;", "")


def test_a_saved_system_ranks_a_file_as_the_run_did(published: Snapshot, sample: SamplePaths, tmp_path: Path) -> None:
    model = published.record.artifacts["model/learned"]
    predictions = tmp_path / "dev.pred"
    assert main(["score", "--model", model, "--input", str(sample.dev), "--predictions", str(predictions)]) == 0
    values = figures(published.entries(METRICS))
    scores = evaluate(
        ranked_file(read_official(sample.gold), read_official(predictions)), ["MAP@10", "AvgRec@10", "F1"]
    )
    assert scores == {measure: values["learned", measure] for measure in scores}


def test_a_saved_system_keeps_its_feature_importances_beside_those_of_others(
    question_comment_run: GoldenRun, published: Snapshot, tmp_path: Path
) -> None:
    lake = Lake(question_comment_run.lake.spark, str(tmp_path / "lake"))
    begin = RunRecord("r2", "running", "run", config_hash="c0ffee", config="", code_version="0")
    other = {"system": "other", "feature": "overlap_v1__stems", "importance": 1.0, "direction": 1}
    with open_run(lake, begin, resume=False, on_step=lambda _: None) as run:
        run.write_entries(FEATURE_IMPORTANCES, [other])
        KeepModels({"learned": published.record.artifacts["model/learned"]}).execute(run, StepRecord("models"))
        found = run.entries(FEATURE_IMPORTANCES)
    learned = published.entries(FEATURE_IMPORTANCES)
    assert {entry["system"] for entry in learned} == {"learned"}
    assert found == [other, *learned]


def test_a_saved_system_refuses_what_it_was_trained_on(
    published: Snapshot, sample: SamplePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions = tmp_path / "train.pred"
    files = ["--input", str(sample.train), "--predictions", str(predictions)]
    assert main(["score", "--model", published.record.artifacts["model/learned"], *files]) == 3
    assert "threads are both in the training and in the evaluation data" in capsys.readouterr().err
    assert not predictions.exists()


def test_a_saved_system_that_learned_nothing_ranks_any_file_in_the_official_format(
    published: Snapshot, sample: SamplePaths, tmp_path: Path
) -> None:
    """With and without labels, and also what the systems beside it were trained on."""
    (tmp_path / "in").mkdir()
    for file in (sample.train, sample.unlabelled):
        shutil.copy(file, tmp_path / "in")
    predictions = tmp_path / "all.pred"
    files = ["--input", str(tmp_path / "in"), "--predictions", str(predictions)]
    assert main(["score", "--model", published.record.artifacts["model/given_order"], *files]) == 0
    rows = [line.split("\t") for line in predictions.read_text().splitlines()]
    of_train = published.read(EXAMPLES).where("task = 'question_comment' and split = 'train'").count()
    assert len(rows) == of_train + sample.unlabelled.read_text().count("<RelComment ")
    assert {(len(row), row[2], row[4]) for row in rows} == {(5, "0", "true")}


def test_a_copied_lake_is_reported_and_explained_with_its_own_artifacts(
    question_comment_run: GoldenRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = question_comment_run.copy(tmp_path)
    copy = lake.root
    assert lake.snapshot.record.artifacts["model/learned"].startswith(f"{copy}/runs/r1.")
    best = lake.snapshot.read(RANKINGS).where("system = 'learned' and rank = 1").orderBy("query_id").first()
    assert main(["report", "--lake", copy, "--run-id", "r1"]) == 0
    assert f"report: {copy}/runs/r1." in capsys.readouterr().out
    explained = ["--thread", best["query_id"], "--system", "learned"]
    assert main(["explain", "--lake", copy, "--run-id", "r1", *explained]) == 0
    assert best["candidate_id"] in capsys.readouterr().out
    assert main(["explain", "--lake", copy, "--run-id", "r1", "--thread", "nobody's"]) == 3
    assert f"such as {best['query_id']} or " in capsys.readouterr().err
