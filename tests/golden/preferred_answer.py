"""The golden run of task P: the experiment on accepted answers, on the literal tables of a small site."""

from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from golden.run import GoldenRun, made_once
from homes import make_home, metadata_systems
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table

SITE = "beer.example.org"
THREADS = 12
START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def preferred_answer_run(
    spark: SparkSession, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> GoldenRun:
    """Run ``dump`` with the community tables, and run ``experiment`` over them; nothing is published.

    What the experiment said is in the files ``out`` and ``err`` of the folder.
    """

    def make(folder: Path) -> None:
        lake = Lake(spark, str(folder / "lake"))
        write_community(lake)
        home = make_home(tmp_path_factory.mktemp("home") / "home", systems=metadata_systems("basic_u", "badges"))
        with (
            pytest.MonkeyPatch.context() as patch,
            (folder / "out").open("w") as out,
            (folder / "err").open("w") as err,
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            patch.setenv("CQA_HOME", str(home))
            assert main(experiment(lake.root)) == 0

    assert pytestconfig.cache is not None
    return GoldenRun.at(made_once(pytestconfig.cache, "preferred_answer", make), spark)


def experiment(lake: str) -> list[str]:
    """The command line of the experiment: every question, ranked by cross-validation."""
    here = ["--lake", lake, "--run-id", "experiment", "--from-run", "dump", "--all-sites", "--min-answers", "3"]
    quick = ["--rankers", "logistic", "--studied", "logistic", "--no-ablation", "--evaluation.resamples", "99"]
    return [
        "experiment", "preferred-answer", *here, *quick, "--evaluation-split", "every", "--features.folds", "2",
    ]  # fmt: skip


def write_community(lake: Lake) -> None:
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
    users = [{"user_id": f"u{number}", "reputation": number} for number in (1, 2, 3)]
    begin = RunRecord("dump", "running", "test", "h", "c", "v")
    with (
        hold(lake, Holder.of_this_process("test")) as held,
        open_run(held, begin, resume=False, on_step=lambda step: None) as run,
    ):
        for table, values in {POSTS: posts, COMMENTS: [], VOTES: votes, USERS: users, BADGES: []}.items():
            run.write(table, rows(lake.spark, table, values))


def rows(spark: SparkSession, table: Table, values: Sequence[Mapping[str, object]]) -> DataFrame:
    """Rows of a table; columns that a row does not name are null."""
    filled = {"site": SITE, "split": "unannotated", "source_file": "f"}
    complete = [tuple((filled | dict(row)).get(field.name) for field in table.columns) for row in values]
    return spark.createDataFrame(complete, table.schema)


def day(number: float) -> datetime:
    return START + timedelta(days=number)
