"""``cqa duplicates`` and ``cqa similar`` on a small site, as a user runs them."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.cli import main
from cqa_spark.lake.publishing import published_snapshot
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED
from cqa_spark.lake.storage import Lake
from cqa_spark.process.stop_signals import Stopped

SITE = "beer.example.org"
_TOPICS = [
    "malt", "hops", "yeast", "barrel", "glass", "foam", "bottle", "keg", "stout", "lager", "porter", "cider",
]  # fmt: skip


def _dump(folder: Path, *, links: bool = True, last: int = 144, gone: int = 0) -> Path:
    """A site whose odd questions ask again what others asked 24 questions before, and are closed as duplicates."""
    folder.mkdir(parents=True)
    rows, pairs = [], []
    for number in range(1, last + 1):
        if number == gone:
            continue
        word = f"detail{(number - 1) % 24 + 1 if number % 2 else number}"
        topic, at = _TOPICS[number % len(_TOPICS)], f"2020-01-{number // 24 + 1:02}T{number % 24:02}:00:00.000"
        if number % 2 and number > 24:
            pairs.append((number, number - 24))
        rows.append(
            f'<row Id="{number}" PostTypeId="1" CreationDate="{at}" Score="1" ViewCount="1" OwnerUserId="1" '
            f'Body="&lt;p&gt;What about {topic} and {word} today?&lt;/p&gt;" Title="About {topic} {word}" '
            f'Tags="&lt;{topic}&gt;" AnswerCount="0" CommentCount="0" />'
        )
    _write(folder / "Posts.xml", "posts", rows)
    if links:
        found = [
            f'<row Id="{one}" CreationDate="2020-01-20T00:00:00.000" PostId="{one}" RelatedPostId="{other}" '
            'LinkTypeId="3" />'
            for one, other in pairs
        ]
        _write(folder / "PostLinks.xml", "postlinks", found)
    return folder


def _write(path: Path, name: str, rows: list[str]) -> None:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<{name}>", *(f"  {row}" for row in rows), f"</{name}>"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _job(dump: Path, lake: Path, *systems: str) -> list[str]:
    chosen = ["--systems", *systems, "--input", str(dump), "--lake", str(lake), "--evaluation.resamples", "99"]
    return ["run", "--config", "conf/duplicates.yaml", "--baseline", "retrieval_order", *chosen]


@pytest.fixture(scope="module")
def root(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with a published run."""
    folder = tmp_path_factory.mktemp("duplicates")
    dump = _dump(folder / SITE)
    assert main(_job(dump, folder / "lake", "retrieval_order", "no_duplicates", "bm25_order", "fused_e")) == 0
    return folder / "lake"


@pytest.mark.slow
def test_a_night_indexes_and_ranks_only_new_questions(
    spark: SparkSession, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = published_snapshot(Lake(spark, str(root)))
    lake = shutil.copytree(root, tmp_path / "lake")
    dump = _dump(tmp_path / SITE, last=150, gone=96)
    night = ["nightly", "--config", "conf/duplicates.yaml", "--task", "duplicate", "--run-id", "night"]
    assert main([*night, "--input", str(dump), "--lake", str(lake), "--evaluation.resamples", "99"]) == 0
    after = published_snapshot(Lake(spark, str(lake)))
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
    for searched, is_found in ((root, True), (lake, False)):
        capsys.readouterr()
        assert main(["similar", "--lake", str(searched), "--text", "detail96"]) == 0
        assert ("detail96" in capsys.readouterr().out) == is_found
    manifest = json.loads((lake / "exports" / "current.json").read_text())
    assert sum(file["rows"] for file in manifest["files"] if file["format"] == "json") == rankings.count()


@pytest.mark.slow
def test_duplicates_are_found_cut_measured_and_published(
    spark: SparkSession, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    published = published_snapshot(Lake(spark, str(root)))
    examples = published.read(EXAMPLES)
    assert examples.where("answered_at >= asked_at").count() == 0
    of_last = examples.where("query_id = '143' AND relevant").select("candidate_id").collect()
    assert sorted(row[0] for row in of_last) == ["119", "23", "47", "71", "95"]
    found = {
        (row["system"], row["measure"]): row["value"] for row in published.entries(METRICS) if row["split"] == "test"
    }
    assert found["no_duplicates", "TMAP"] == 0.5
    assert found["bm25_order", "RR@50"] == 1.0
    assert found["fused_e", "TMAP"] > max(found["no_duplicates", "TMAP"], found["retrieval_order", "TMAP"])
    assert {row["baseline"] for row in published.entries(COMPARISONS)} == {"retrieval_order", "no_duplicates"}
    page = Path(published.record.artifacts["report"]).read_text(encoding="utf-8")
    assert "Kept, duplicates: " in page
    kept = published.read(RANKINGS).where("system = 'fused_e' AND predicted AND query_id = '142'")
    assert kept.count() == 0
    capsys.readouterr()
    assert main(["similar", "--lake", str(root), "--text", "about detail23", "--limit", "2"]) == 0
    found = capsys.readouterr().out
    assert found.count("detail23") == 2

    def stop(*_: object) -> None:
        raise Stopped(signal.SIGTERM)

    monkeypatch.setattr("cqa_spark.steps.candidates.search", stop)  # after the new index was written
    assert main(_job(_dump(tmp_path / SITE), root, "retrieval_order")) == Stopped(signal.SIGTERM).exit_code
    capsys.readouterr()
    assert main(["similar", "--lake", str(root), "--text", "about detail23", "--limit", "2"]) == 0
    assert capsys.readouterr().out == found


@pytest.mark.slow
def test_a_site_without_links_is_ranked_and_not_measured(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump, root = _dump(tmp_path / SITE, links=False), tmp_path / "lake"
    assert main(_job(dump, root, "retrieval_order", "fused_e")) != 0
    assert "no known duplicate of a training question" in capsys.readouterr().err
    assert main(_job(dump, root, "retrieval_order", "no_duplicates")) == 0
    assert "no known duplicates" in capsys.readouterr().err
    published = published_snapshot(Lake(spark, str(root)))
    assert published.read(RANKINGS).count() > 0
    assert not published.entries_or_none(METRICS)


def test_a_list_of_questions_is_read_and_ranked(spark: SparkSession, tmp_path: Path) -> None:
    folder, root = tmp_path / SITE, tmp_path / "lake"
    folder.mkdir()
    asked = [f'{{"qid": {number}, "title": "About {_TOPICS[number % 12]} &amp; beer"}}' for number in range(1, 49)]
    (folder / "questions.jsonl").write_text("\n".join([*asked, "broken"]), encoding="utf-8")
    (folder / "duplicates.tsv").write_text("13\t1\n34\t10\n48\t47\n", encoding="utf-8")
    chosen = ["--dump-format", "question_list", "--max-bad-fraction", "0.1", "--retrieval.queries", "annotated"]
    systems = ("retrieval_order", "bm25_order")
    assert main([*_job(folder, root, *systems), *chosen, "--evaluation.measures", "RR@50"]) == 0
    published = published_snapshot(Lake(spark, str(root)))
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
    assert main([*_job(tmp_path / SITE, tmp_path / "lake", "bm25_order"), "--dump-format", "question_list"]) == 3
    assert "no question in" in capsys.readouterr().err
