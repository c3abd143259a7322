"""Counts Spark's jobs, queries, stages and tasks for a ``cqa`` command, with their times.

    .venv/bin/python bench/spark_jobs.py run --config conf/demo.yaml
    .venv/bin/python bench/spark_jobs.py --by-query 20 nightly --input DUMP --lake LAKE

The command runs in a separate process, with Spark's event log in a temporary folder. For given data, the counts are the
same on every machine; the seconds are not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SQL_START = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"


@dataclass
class Counts:
    """Totals of an event log.

    Attributes:
        jobs: Spark jobs.
        queries: SQL executions.
        stages: executed stages.
        tasks: executed tasks.
        task_seconds: total time of all tasks.
        busy_seconds: time with at least one running job.
        jobs_by_query: number of jobs by description of their query.
    """

    jobs: int = 0
    queries: int = 0
    stages: int = 0
    tasks: int = 0
    task_seconds: float = 0.0
    busy_seconds: float = 0.0
    jobs_by_query: Counter[str] = field(default_factory=Counter)


def count(events: Iterable[dict[str, Any]]) -> Counts:
    """Add up the events of a log."""
    found = Counts()
    started: dict[int, int] = {}
    descriptions: dict[str | None, str] = {None: "no query"}
    spans: list[tuple[int, int]] = []
    for event in events:
        match event["Event"]:
            case "SparkListenerJobStart":
                found.jobs += 1
                started[event["Job ID"]] = event["Submission Time"]
                query = (event.get("Properties") or {}).get("spark.sql.execution.id")
                found.jobs_by_query[descriptions.get(query, "a query without a description")] += 1
            case "SparkListenerJobEnd":
                spans.append((started[event["Job ID"]], event["Completion Time"]))
            case "SparkListenerStageCompleted":
                found.stages += 1
            case "SparkListenerTaskEnd":
                found.tasks += 1
                found.task_seconds += (event["Task Info"]["Finish Time"] - event["Task Info"]["Launch Time"]) / 1000
            case name if name == SQL_START:
                found.queries += 1
                descriptions[str(event["executionId"])] = event["description"].partition("\n")[0]
    found.busy_seconds = covered(spans) / 1000
    return found


def covered(spans: Iterable[tuple[int, int]]) -> int:
    """The length of the union of spans."""
    total, end = 0, 0
    for first, last in sorted(spans):
        total += max(0, last - max(first, end))
        end = max(end, last)
    return total


def events_of(folder: Path) -> Iterator[dict[str, Any]]:
    """The events of all logs of a folder."""
    for log in sorted(folder.iterdir()):
        with log.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def main() -> int:
    """Run the command and print the counts."""
    parser = argparse.ArgumentParser(description="Count what Spark does for a cqa command.")
    parser.add_argument("--by-query", type=int, default=0, metavar="N", help="print the N queries with most jobs")
    options, command = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="cqa-events-") as folder:
        logged = f"-Dspark.eventLog.enabled=true -Dspark.eventLog.dir={Path(folder).as_uri()}"
        variables = {**os.environ, "JAVA_TOOL_OPTIONS": logged}
        began = time.perf_counter()
        code = subprocess.run([sys.executable, "-m", "cqa_spark.cli", *command], env=variables, check=False).returncode
        seconds, found = time.perf_counter() - began, count(events_of(Path(folder)))
    print(
        f"{found.jobs} Spark jobs, {found.queries} queries, {found.stages} stages, {found.tasks} tasks; "
        f"{found.task_seconds:.0f} s of tasks, jobs in {found.busy_seconds:.0f} of {seconds:.0f} s"
    )
    for query, jobs in found.jobs_by_query.most_common(options.by_query):
        print(f"{jobs:>6}  {query}")
    return code


if __name__ == "__main__":
    sys.exit(main())
