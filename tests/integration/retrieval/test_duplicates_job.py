"""``cqa duplicates`` and ``cqa similar`` on a small site, as a user runs them."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from golden.duplicate import SITE, TOPICS, write_site
from golden.run import GoldenRun
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.api.lake import open_lake
from cqa_spark.cli import main
from cqa_spark.errors import InputError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.process.signals import Stopped
from cqa_spark.settings.sections import RetrievalSettings
from cqa_spark.tasks.duplicate.candidates import RetrieveCandidates
from cqa_spark.tasks.duplicate.task import Duplicate


def duplicates_by_words(dump: Path, lake: str, *systems: str) -> list[str]:
    """The command line of a run that retrieves candidates by words alone; the golden run also does by embeddings."""
    measured = ["--evaluation.measures", "AnsRR@50", "--evaluation.resamples", "99", "--baseline", "retrieval_order"]
    return ["duplicates", "--input", str(dump), "--lake", lake, "--systems", *systems, *measured]


def test_a_night_indexes_and_ranks_only_new_questions(
    duplicate_run: GoldenRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, lake = duplicate_run.snapshot, duplicate_run.copy(tmp_path)
    dump = write_site(tmp_path / SITE, last=150, gone=96)
    night = ["nightly", "--config", "conf/duplicates.yaml", "--task", "duplicate", "--run-id", "night"]
    assert main([*night, "--input", str(dump), "--lake", lake.root, "--evaluation.resamples", "99"]) == 0
    after = lake.snapshot
    old, new = (each.read(INDEX_SHARDS).orderBy(F.length("shard")).collect() for each in (before, after))
    assert [row["ids"] for row in new[1:]] == [["145", "146", "147", "148", "149", "150"]]
    assert new[:1] == old
    examples, rankings = after.read(EXAMPLES), after.read(RANKINGS).where("system = 'fused_e'")
    assert examples.where("'96' IN (query_id, candidate_id)").count() == 0
    assert examples.where("int(query_id) > 144 AND split <> 'unannotated'").count() == 0
    with_gone = before.read(EXAMPLES).where("candidate_id = '96' AND split <> 'train'").select("query_id")
    again = {row[0] for row in with_gone.collect()} | {str(number) for number in range(145, 151)}
    assert {row[0] for row in rankings.where("run_id = 'night'").select("query_id").collect()} == again
    assert rankings.where("query_id = '145' AND rank <= 6 AND int(candidate_id) % 24 = 1").count() == 6
    assert after.entries(DELETED_QUESTIONS) == [{"site": SITE, "post_id": "96"}]
    assert after.read(RETRIEVED).where("candidate_id = '96' AND int(query_id) > 144").count() == 0
    for searched, is_found in ((duplicate_run, True), (lake, False)):
        capsys.readouterr()
        assert main(["similar", "--lake", searched.root, "--text", "detail96"]) == 0
        assert ("detail96" in capsys.readouterr().out) == is_found


def test_duplicates_are_found_cut_measured_and_published(
    duplicate_run: GoldenRun, capsys: pytest.CaptureFixture[str]
) -> None:
    published = duplicate_run.snapshot
    examples = published.read(EXAMPLES)
    assert examples.where("answered_at >= asked_at").count() == 0
    of_last = examples.where("query_id = '143' AND relevant").select("candidate_id").collect()
    assert sorted(row[0] for row in of_last) == ["119", "23", "47", "71", "95"]
    found = {
        (row["system"], row["measure"]): row["value"] for row in published.entries(METRICS) if row["split"] == "test"
    }
    assert found["no_duplicates", "TMAP"] == 0.5
    assert found["bm25_order", "AnsRR@50"] == 1.0
    assert found["fused_e", "TMAP"] > max(found["no_duplicates", "TMAP"], found["retrieval_order", "TMAP"])
    assert {row["baseline"] for row in published.entries(COMPARISONS)} == {"retrieval_order", "no_duplicates"}
    page = Path(published.record.artifacts["report"]).read_text(encoding="utf-8")
    assert "Kept, duplicates: " in page
    kept = published.read(RANKINGS).where("system = 'fused_e' AND predicted AND query_id = '142'")
    assert kept.count() == 0
    search = ["similar", "--lake", duplicate_run.root, "--text", "about detail23", "--limit", "2"]
    assert main(search) == 0
    assert capsys.readouterr().out.count("detail23") == 2
    assert main([*search, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["title"].count("detail23") for each in found] == [1, 1]
    index = open_lake(duplicate_run.root).run().index()
    assert [each._asdict() for each in index.search("about detail23", limit=2, site=SITE)] == found
    with pytest.raises(InputError, match="no questions of elsewhere"):
        index.search("about", site="elsewhere")


def test_a_run_that_is_stopped_after_its_index_was_written_leaves_the_published_one(
    duplicate_run: GoldenRun, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = duplicate_run.copy(tmp_path)
    search = ["similar", "--lake", lake.root, "--text", "about detail23", "--limit", "2"]
    assert main(search) == 0
    found = capsys.readouterr().out
    assert found.count("detail23") == 2

    def stop(*_: object) -> None:
        raise Stopped(signal.SIGTERM)

    monkeypatch.setattr("cqa_spark.tasks.duplicate.candidates.search", stop)
    dump = write_site(tmp_path / SITE, last=48)
    assert main(duplicates_by_words(dump, lake.root, "retrieval_order")) == Stopped(signal.SIGTERM).exit_code
    capsys.readouterr()
    assert main(search) == 0
    assert capsys.readouterr().out == found


def test_a_site_without_links_is_ranked_and_not_measured(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump, lake = write_site(tmp_path / SITE, links=False, last=48), Lake(spark, str(tmp_path / "lake"))
    assert main(duplicates_by_words(dump, lake.root, "retrieval_order", "no_duplicates")) == 0
    assert "no known duplicates" in capsys.readouterr().err
    published = published_snapshot(lake)
    assert published.read(RANKINGS).count() == 2 * published.read(EXAMPLES).where(OUTSIDE_TRAINING).count() > 0
    assert not published.entries_or_none(METRICS)
    begin = replace(published.record, status="running")
    with (
        hold(lake, Holder.of_this_process("test")) as held,
        pytest.raises(InputError, match="no known duplicate of a training question"),
        open_run(held, begin, resume=True, on_step=lambda step: None) as run,
    ):
        RetrieveCandidates(Duplicate(), RetrievalSettings(), trains=True).execute(run, StepRecord("candidates"))


def test_a_list_of_questions_is_read_and_ranked(spark: SparkSession, tmp_path: Path) -> None:
    folder, root = tmp_path / SITE, str(tmp_path / "lake")
    folder.mkdir()
    asked = [f'{{"qid": {number}, "title": "About {TOPICS[number % 12]} &amp; beer"}}' for number in range(1, 49)]
    (folder / "questions.jsonl").write_text("\n".join([*asked, "broken"]), encoding="utf-8")
    (folder / "duplicates.tsv").write_text("13\t1\n34\t10\n48\t47\n", encoding="utf-8")
    chosen = ["--dump-format", "question_list", "--max-bad-fraction", "0.1", "--retrieval.queries", "annotated"]
    assert main([*duplicates_by_words(folder, root, "retrieval_order", "bm25_order"), *chosen]) == 0
    published = published_snapshot(Lake(spark, root))
    assert [row[0] for row in published.read(POSTS).where("post_id = '1'").select("subject").collect()] == [
        "About hops & beer"
    ]
    assert [row[0] for row in published.read(QUARANTINE).select("reason").collect()] == ["the line is not JSON"]
    found = {(row["system"], row["split"]): row["value"] for row in published.entries(METRICS)}
    assert found["bm25_order", "dev"] == 1.0
    assert found["bm25_order", "test"] < 1.0


def test_a_list_without_questions_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / SITE).mkdir()
    (tmp_path / SITE / "questions.jsonl").write_text("\n", encoding="utf-8")
    chosen = ["--dump-format", "question_list"]
    assert main([*duplicates_by_words(tmp_path / SITE, str(tmp_path / "lake"), "retrieval_order"), *chosen]) == 3
    assert "no question in" in capsys.readouterr().err
