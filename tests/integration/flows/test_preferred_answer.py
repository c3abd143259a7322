"""From community tables to a data set, its features and their audit, by the commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from homes import make_home, metadata_systems
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.cli import main
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.stored_values import missing_groups
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.leased import hold
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run_lifecycle import open_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.data_card import DATA_CARD
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import SITE_METRICS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table

SITE = "beer.example.org"
START = datetime(2020, 1, 1, tzinfo=UTC)
THREADS = 12


def rows(spark: SparkSession, table: Table, values: Sequence[Mapping[str, object]]) -> DataFrame:
    filled = {"site": SITE, "split": "unannotated", "source_file": "f"}
    complete = [tuple((filled | dict(row)).get(field.name) for field in table.columns) for row in values]
    return spark.createDataFrame(complete, table.schema)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Twelve threads, a day apart, with three answers each; the second is accepted two days later."""
    posts: list[dict[str, object]] = []
    votes: list[dict[str, object]] = []
    for thread in range(THREADS):
        posts.append({"post_id": f"{thread}", "thread_id": f"{thread}", "post_type": "question", "user_id": "asker",
                      "created_at": day(thread), "tags": ["ale"], "accepted_answer_id": f"{thread}-2"})  # fmt: skip
        for answer in (1, 2, 3):
            post = f"{thread}-{answer}"
            posts.append({"post_id": post, "thread_id": f"{thread}", "post_type": "answer", "user_id": f"u{answer}",
                          "created_at": day(thread + answer / 10), "body": "b"})  # fmt: skip
            votes.append({"vote_id": post, "post_id": post, "vote_type_id": 2, "created_at": day(thread)})
        votes.append({"vote_id": f"{thread}", "post_id": f"{thread}-2", "vote_type_id": 1,
                      "created_at": day(thread + 2)})  # fmt: skip
    lake = Lake(spark, str(tmp_path_factory.mktemp("preferred") / "lake"))
    begin = RunRecord("dump", "running", "test", "h", "c", "v")
    with (
        hold(lake, Holder.of_this_process("test")) as held,
        open_run(held, begin, resume=False, on_step=lambda step: None) as run,
    ):
        run.write(POSTS, rows(spark, POSTS, posts))
        run.write(COMMENTS, rows(spark, COMMENTS, []))
        run.write(VOTES, rows(spark, VOTES, votes))
        run.write(USERS, rows(spark, USERS, [{"user_id": f"u{n}", "reputation": n} for n in (1, 2, 3)]))
        run.write(BADGES, rows(spark, BADGES, []))
    return lake


def test_data_set_features_and_audit(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    here = ["--lake", lake.root, "--run-id", "pa"]
    assert main(["dataset", "preferred-answer", *here, "--from-run", "dump", "--min-answers", "3"]) == 0
    assert f"only {THREADS} meet the criteria" in capsys.readouterr().out
    snapshot = Snapshot(lake, RunLog(lake.objects).require_success("pa"))
    assert snapshot.read(EXAMPLES).where("relevant").select("initial_rank").distinct().collect() == [(2,)]
    assert snapshot.read(EXAMPLES).count() == 3 * THREADS
    card = {row["measure"]: row["value"] for row in snapshot.entries(DATA_CARD) if row["split"] == "*"}
    assert (card["questions"], card["answers"], card["share_late"]) == (THREADS, 3 * THREADS, 0)

    groups = ["basic_u_asof_v1", "basic_u_snapshot_v1", "badges_asof_v1"]
    assert main(["featurize", *here, "--task", "preferred_answer", "--groups", *groups]) == 0
    warned = capsys.readouterr().err
    assert "badges_asof_v1 is left out: no badges of beer.example.org" in warned
    assert "are replaced" not in warned
    featurized = Snapshot(lake, RunLog(lake.objects).require_success("pa"))
    assert missing_groups(featurized, groups) == {"badges_asof_v1"}
    assert "texts" not in featurized.record.table_versions

    assert main(["features", "audit", *here, "--moments", "1", "--groups", "basic_u_asof_v1"]) == 0
    assert main(["features", "audit", *here, "--moments", "1", "--groups", "basic_u_snapshot_v1"]) == 5
    assert "basic_u_snapshot_v1 (up_votes" in capsys.readouterr().err

    assert main(["featurize", *here, "--task", "preferred_answer", "--groups", "basic_u_asof_v1"]) == 0
    assert (
        "all feature values of run pa are replaced; to keep those of basic_u_snapshot_v1, name all groups in one"
        in capsys.readouterr().err.replace("\n", " ")
    )


@pytest.mark.slow
def test_the_experiment_ranks_measures_and_reports(
    lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a dump without badges, where the second answer is always the accepted one."""
    monkeypatch.setenv("CQA_HOME", str(make_home(tmp_path / "home", systems=metadata_systems("basic_u", "badges"))))
    here = ["--lake", lake.root, "--run-id", "experiment", "--from-run", "dump", "--all-sites", "--min-answers", "3"]
    quick = ["--rankers", "logistic", "--studied", "logistic", "--no-ablation", "--evaluation.resamples", "99"]
    assert (
        main(["experiment", "preferred-answer", *here, *quick, "--evaluation-split", "every", "--features.folds", "2"])
        == 0
    )
    shown = capsys.readouterr()
    assert "On all 12 questions, by cross-validation" in shown.out
    assert "feature group badges_asof_v1 is left out: no badges" in shown.err

    snapshot = Snapshot(lake, RunLog(lake.objects).require_success("experiment"))
    figures = [entry for entry in snapshot.entries(SITE_METRICS) if entry["measure"] == "P@1"]
    values = {(row["site"], row["system"]): row["value"] for row in figures}
    assert {site for site, _ in values} == {"*", SITE}
    assert values["*", "metadata_logistic_snapshot"] == 1.0  # whose author's acceptances it sees
    assert values["*", "first_answer"] == 0.0
    assert {row["queries"] for row in figures} == {THREADS}
    page = Path(snapshot.record.artifacts["report"]).read_text(encoding="utf-8")
    assert "Table 4: systems" in page
    lacking = "<strong>badges_asof_v1, badges_snapshot_v1</strong>: not computed for beer.example.org"
    assert f"{lacking}, whose dump has no badges." in page
    assert SNAPSHOT_CAUTION in page
    again = tmp_path / "again.html"
    assert main(["report", "--lake", lake.root, "--run-id", "experiment", "--report", str(again)]) == 0
    assert "Table 4: systems" in again.read_text(encoding="utf-8")

    capsys.readouterr()
    assert main(["explain", "--lake", lake.root, "--run-id", "experiment", "--thread", "7"]) == 0
    told = capsys.readouterr().out
    assert "metadata_logistic_asof on beer.example.org, thread 7" in told
    assert told.count("  score ") == 3


def test_what_is_not_there_is_refused(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["dataset", "preferred-answer", "--lake", lake.root, "--run-id", "none", "--from-run", "dump"]
    assert main([*command, "--min-answers", "4"]) == 3
    assert "no question has 4 answers with an accepted one" in capsys.readouterr().err
    assert main([*command, "--site", "wine.example.org"]) == 3
    assert "no posts of wine.example.org" in capsys.readouterr().err
    assert main(command[:-2]) == 3
    assert "nothing is published" in capsys.readouterr().err
