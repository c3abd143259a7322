"""The task of the example plug-in: from posts to examples, and a night with its wheel."""

import os
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.synth.stackexchange.dump import write_dump

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "expert_finding"
NEW_YEAR = datetime(2024, 1, 1)
SCHEMA = (
    "site string, post_id string, post_type string, thread_id string, user_id string, created_at timestamp, "
    "tags array<string>, accepted_answer_id string, split string, source_file string"
)

Post = tuple[str, str, str, str, str, datetime, list[str] | None, str | None, str, str]


def post(number: int, thread: int, user: str, day: int, *, tags: str = "", accepted: str | None = None) -> Post:
    kind, asked = ("question", list(tags)) if number == thread else ("answer", None)
    day_of = NEW_YEAR + timedelta(days=day)
    return "beer", str(number), kind, str(thread), user, day_of, asked, accepted, "unannotated", "Posts.xml"


def test_candidates_are_the_authors_of_earlier_answers_on_the_tags(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    from expert_finding.candidates import expert_examples
    from expert_finding.task import Expert

    posts = [
        post(1, 1, "ann", 0, tags="xy", accepted="2"), post(2, 1, "bob", 1), post(3, 1, "cat", 2),
        post(4, 4, "dan", 3, tags="y"), post(5, 4, "bob", 4), post(6, 4, "ann", 5),
        post(7, 7, "ann", 6, tags="xyz", accepted="8"), post(8, 7, "cat", 7),
        post(9, 9, "bob", 8, tags="w"),
    ]  # fmt: skip
    frame = POSTS.complete(spark.createDataFrame(posts, SCHEMA))
    rows = expert_examples(frame).orderBy("query_id", "initial_rank").collect()
    assert {row.task for row in rows} == {Expert.name}
    # Nobody answered before question 1; dan asked question 4 after both answers on y; ann does not answer herself.
    assert [(row.query_id, row.candidate_id, row.label, row.split == "unannotated") for row in rows] == [
        ("4", "user-bob", None, True),
        ("4", "user-cat", None, True),
        ("7", "user-bob", 0, False),
        ("7", "user-cat", 1, False),
    ]


@pytest.mark.more
def test_a_night_ranks_users_with_the_wheel_alone(tmp_path: Path) -> None:
    dump = write_dump(tmp_path, site="tags.example.org", threads=60, seed=3).folder
    sources = shutil.copytree(EXAMPLE, tmp_path / "sources")
    build = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--no-build-isolation"]
    subprocess.run([*build, "--python", sys.executable, "--out-dir", str(tmp_path), str(sources)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    command = ["nightly", "--overlay", str(EXAMPLE / "conf"), "--system", "expert_history", "--input", str(dump)]
    lake = ["--lake", str(tmp_path / "lake")]
    environment = os.environ | {"PYTHONPATH": str(wheel)}
    program = [sys.executable, "-m", "cqa_spark.cli"]
    for night in (1, 2):
        done = subprocess.run([*program, *command, *lake], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (night, done.stderr)
    files = DeltaTable(str(tmp_path / "lake" / "tables" / "rankings")).file_uris()
    ranked = pa.concat_tables(pq.read_table(file, columns=["task", "system", "candidate_id"]) for file in files)
    assert set(ranked["task"].to_pylist()) == {"expert"}
    assert set(ranked["system"].to_pylist()) == {"expert_history", "most_answers"}
    assert all(candidate.startswith("user-") for candidate in ranked["candidate_id"].to_pylist())
