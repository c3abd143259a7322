"""One night after the other, undisturbed and killed: all ways end with what computing everything gives."""

import json
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from kill_at import exit_code_at
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from two_nights import CHANGED, SYSTEM, Content, Nights, content, copied, night, two_nights

from cqa_spark.cli import main
from cqa_spark.features.feature_table import feature_table
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import KEY as LEASE
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.findings import FINDINGS, QUESTION_VECTORS
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.night import CHALLENGES, CHANGES
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS, RANKINGS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.systems.shipped_models import shipped_model

BY_SITE = (
    POSTS, COMMENTS, USERS, EXAMPLES, feature_table(()), RANKINGS, NIGHT_RANKINGS, QUERY_METRICS, FINDINGS,
    QUESTION_VECTORS,
)  # fmt: skip

CRASHES = {
    "while ingesting, between two tables": ("cqa_spark.lake.run:Run.put", "after", 2),
    "while writing rankings, with files that belong to no table": (
        "cqa_spark.lake.run:write_files in cqa_spark.steps.score:Score.execute", "after", 1),
    "while publishing, the new pointer beside the old one": (
        "pathlib:Path.replace in cqa_spark.lake.publishing:change_pointer", "before", 1),
}  # fmt: skip
"""Where a night is killed before it is published."""

SWAPPED = ("cqa_spark.lake.publishing:change_pointer", "after", 1)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def nights(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Nights:
    return two_nights(spark, tmp_path_factory.mktemp("nights"))


def test_a_second_night_gives_what_computing_everything_gives(nights: Nights, tmp_path: Path) -> None:
    full = copied(nights.first, tmp_path / "full")
    assert main(night(full.root, nights.dumps[1], "r2", "--full")) == 0
    second = published_snapshot(nights.second)
    assert content(second) == content(published_snapshot(full))
    assert content(second) != content(published_snapshot(nights.first))


def test_the_first_night_ranks_with_a_copy_of_the_model_of_the_package(nights: Nights) -> None:
    first = published_snapshot(nights.first)
    shipped, copy = shipped_model(SYSTEM), Path(first.record.artifacts[f"model/{SYSTEM}"])
    assert shipped is not None
    assert copy.is_relative_to(nights.first.root)
    assert (copy / "manifest.json").read_bytes() == Path(shipped, "manifest.json").read_bytes()
    assert first.entries(CHALLENGES) == []
    assert first.read(RANKINGS).where(f"system = '{SYSTEM}'").count() > 0


def test_every_question_with_two_answers_is_served_whatever_happens_to_it(nights: Nights) -> None:
    for lake in (nights.first, nights.second):
        snapshot = published_snapshot(lake)
        answers = snapshot.read(POSTS).where("post_type = 'answer'").groupBy("site", "thread_id").count()
        enough = {(row["site"], row["thread_id"]) for row in answers.where("count >= 2").collect()}
        first = snapshot.read(RANKINGS).where("served AND rank = 1").select("site", "query_id").collect()
        assert len(first) == len(enough)
        assert {tuple(row) for row in first} == enough


def test_the_accepted_answer_comes_first_and_measures_know_of_none(nights: Nights) -> None:
    first = published_snapshot(nights.first)
    accepted = first.read(RANKINGS).where("accepted").select("rank", "served")
    assert accepted.where("served").count() > 0
    assert {row["rank"] for row in accepted.collect()} == {1}
    by_score = Window.partitionBy("system", "site", "query_id").orderBy(F.col("score").desc())
    replayed = first.read(NIGHT_RANKINGS).withColumn("by_score", F.rank().over(by_score))
    # Equal scores have ranks after the first of them.
    assert replayed.where("rank < by_score").count() == 0
    assert replayed.where("accepted AND by_score > 1 AND rank > 1").count() > 0


def test_findings_that_somebody_has_seen_are_left_out(nights: Nights, tmp_path: Path) -> None:
    lake = copied(nights.second, tmp_path / "lake")
    before = published_snapshot(lake).read(FINDINGS).orderBy("site", "kind", "post_id", "other_id").collect()
    seen = before[0]
    named = ["findings", "done", seen["kind"], seen["post_id"], "--of-site", seen["site"], "--lake", str(lake.root)]
    assert main(named) == 0
    folder = tmp_path / "export"
    assert main(["export", "findings", "--lake", str(lake.root), "--output", str(folder), "--format", "jsonl"]) == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    lines = [line for file in manifest["files"] for line in (folder / file["path"]).read_text().splitlines()]
    exported = [json.loads(line) for line in lines]
    marked = [row for row in before if (row["site"], row["kind"], row["post_id"]) == tuple(seen[:3])]
    assert len(exported) == len(before) - len(marked)
    assert all(row["post_address"].startswith("https://") for row in exported)
    assert main([*named[:3], "no such post", *named[4:]]) == 3


def test_unchanged_sites_keep_their_files(nights: Nights) -> None:
    first, second = (published_snapshot(lake) for lake in (nights.first, nights.second))
    for table in BY_SITE:
        before, after = (snapshot.files(table).without([CHANGED]).files for snapshot in (first, second))
        assert before == after, table.name
    assert {row["site"] for row in second.read(RANKINGS).where("run_id = 'r2'").select("site").collect()} == {CHANGED}
    changes = [(entry["site"], entry["table_name"], entry["rows"] - entry["rows_before"])
               for entry in second.entries(CHANGES)]  # fmt: skip
    assert changes == [
        (CHANGED, "comments", 1), (CHANGED, "examples", 3), (CHANGED, "posts", 0), (CHANGED, "votes", 2),
    ]  # fmt: skip


def test_a_night_without_a_change_writes_no_table(nights: Nights, tmp_path: Path) -> None:
    lake = copied(nights.second, tmp_path / "lake")
    before = published_snapshot(lake)
    assert main(night(lake.root, nights.dumps[1], "r3")) == 0
    after = published_snapshot(lake)
    for table in BY_SITE:
        assert after.files(table) == before.files(table), table.name
    for measured in (METRICS, COMPARISONS):
        assert after.entries(measured) == before.entries(measured) != []
    assert after.entries(CHANGES) == []
    assert Path(after.record.artifacts["report"]).is_file()


def test_a_dry_run_prints_the_steps_that_the_night_records(
    nights: Nights, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On an empty lake, on that of the first night, and where no site has changed."""
    lakes = [(str(tmp_path / "new"), nights.first, 0), (nights.first.root, nights.second, 1)]
    for root, finished, dump in lakes:
        capsys.readouterr()
        assert main([*night(root, nights.dumps[dump], "r9"), "--dry-run"]) == 0
        _, _, steps = capsys.readouterr().out.partition("steps:\n")
        printed = {line.partition("  reads   ")[0].strip() for line in steps.splitlines() if "  reads   " in line}
        recorded = {step.step for step in published_snapshot(finished).record.steps}
        # The step ingest is recorded by its parts; the published record precedes the publishing.
        parts = {"posts", "users", "comments", "votes", "post_links", "orphans"}
        assert printed - {"ingest", "publish"} == recorded - parts
    assert main([*night(nights.second.root, nights.dumps[1], "r9"), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "no site has changed since run r2, which is published again\n" in printed
    assert "steps:" not in printed
    assert not (tmp_path / "new").exists()


def test_force_garbage_and_rolling_back(nights: Nights, tmp_path: Path) -> None:
    lake = copied(nights.second, tmp_path / "lake")
    limits = ["--checks.max-row-loss", "0", "--checks.max-row-growth", "0"]
    strict = night(lake.root, nights.dumps[0], "r3", *limits)
    assert main([*strict, "--force"]) == 2  # without a name
    assert main([*strict, "--force", "--who", "A. Editor"]) == 0
    assert published_snapshot(lake).record.message == "forced by A. Editor, failed: row counts"
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.first))

    assert main(["runs", "gc", "--lake", lake.root, "--keep", "2"]) == 0
    manifests = Path(lake.root, "runs").glob("*/manifest.json")
    assert {path.parent.name.partition(".")[0] for path in manifests} == {"r2", "r3"}
    assert main(["runs", "rollback", "--lake", lake.root]) == 0
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.second))


@pytest.mark.more
def test_killed_again_and_again(nights: Nights, tmp_path: Path) -> None:
    """Each command starts on what the one before left when it was killed; readers always see a run in full."""
    lake = copied(nights.first, tmp_path / "lake")
    before, after = (content(published_snapshot(each)) for each in (nights.first, nights.second))

    def require_seen(run_id: str, rows: Content) -> None:
        snapshot = published_snapshot(lake)
        assert snapshot.record.run_id == run_id
        assert content(snapshot) == rows

    for place in CRASHES.values():
        killed(lake, place, night(lake.root, nights.dumps[1], "r2"))
        require_seen("r1", before)
    killed(lake, SWAPPED, ["runs", "publish", "r2", "--lake", lake.root])
    require_seen("r2", after)
    assert RunLog(lake.objects).records("r2")[-1].status == "succeeded"
    assert main(["runs", "publish", "r2", "--lake", lake.root]) == 0
    require_seen("r2", after)
    newest = {record.run_id: record.status for record in RunLog(lake.objects).records()}
    assert newest == {"r1": "published", "r2": "published"}


def killed(lake: Lake, place: tuple[str, str, int], command: Sequence[str]) -> None:
    """Let a command kill itself, and check that it died while it held the lake."""
    assert exit_code_at(place, command, lake.spark) == -signal.SIGKILL, place
    assert not json.loads(Path(lake.root, LEASE).read_text())["is_released"]
