"""A giant among many small sites takes no task of its own, by what the tasks of a night read after shuffles."""

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest

from cqa_spark.synth.stackexchange.dump import write_dump

REPOSITORY = Path(__file__).resolve().parents[3]
SITES = 180
ENOUGH = 200
"""Rows of a task; with fewer, the chance of their hashes decides."""


def rows_after_shuffles(events: Path) -> list[list[int]]:
    """The rows that the tasks of each stage have read from other tasks, by Spark's event log."""
    stages = defaultdict(list)
    (log,) = events.iterdir()
    for event in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
        if event["Event"] == "SparkListenerTaskEnd":
            stages[event["Stage ID"]].append(event["Task Metrics"]["Shuffle Read Metrics"]["Total Records Read"])
    return [[rows for rows in tasks if rows] for tasks in stages.values() if any(tasks)]


@pytest.mark.more
def test_no_task_reads_twice_as_much_as_others_where_one_site_has_most_of_the_rows(tmp_path: Path) -> None:
    posts = []
    for number in range(SITES):
        threads = 1600 if number == 0 else 1 + number % 2
        dump = write_dump(tmp_path / "dumps", site=f"s{number}.example.org", threads=threads, seed=number, workers=1)
        posts.append((dump.folder / "Posts.xml").read_text(encoding="utf-8").count("<row "))
    assert posts[0] > 0.6 * sum(posts)
    events = tmp_path / "events"
    events.mkdir()
    settings = {"eventLog.enabled": "true", "eventLog.dir": events.as_uri(), "sql.shuffle.partitions": "8"}
    options = [option for name, value in settings.items() for option in ("--conf", f"spark.{name}={value}")]
    night = ["nightly", "--input", str(tmp_path / "dumps"), "--lake", str(tmp_path / "lake"), "--no-tracking.enabled"]
    submit = [str(REPOSITORY / "spark-submit.sh"), "--master", "local[2]", *options, *night, "--no-pages"]
    subprocess.run(submit, check=True, cwd=REPOSITORY)
    stages = [tasks for tasks in rows_after_shuffles(events) if len(tasks) > 1 and sum(tasks) > ENOUGH * len(tasks)]
    assert len(stages) > 5
    assert [tasks for tasks in stages if max(tasks) > 2 * median(tasks)] == []
