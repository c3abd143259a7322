"""Compares the time of an incremental nightly run with that of a full run.

    .venv/bin/python bench/nightly.py --threads 25000 --touched 0.03

Two dumps of a site are generated; in the second one, a share of the threads has one more answer at the end. The first
night trains on a lake. The second night runs twice, incrementally and with ``--full``, each in a separate process on a
copy of that lake. Both must produce the same rankings. Steps are printed side by side, with the ratio of the totals.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from cqa_spark.lake.publishing import published_snapshot
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.spark.session import spark_session
from cqa_spark.synth.stackexchange.dump import write_dump

SITE = "bench.example.org"
FIRST_NEW_ID = 10**9
FIRST, CHANGED, EVERYTHING = "the first night", "what changed", "everything"
CREATED = re.compile(r' CreationDate="([^"]+)"')


def main() -> None:
    """Generate the dumps, run the nights, compare the rankings and print the times."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="cqa-bench-", dir=arguments.scratch) as scratch:
        folder = Path(scratch)
        first = write_dump(folder / "first", site=SITE, threads=arguments.threads, seed=1).folder
        second = folder / "second" / SITE
        shutil.copytree(first, second)
        touched = answer_again(second / "Posts.xml", arguments.touched)
        print(f"{arguments.threads:,} threads, {touched:,} of them with a new answer in the second dump")
        heap = ["--spark.driver-memory", arguments.heap]
        seconds = {FIRST: night(folder / FIRST, first, arguments.system, *heap)}
        for name, more in ((CHANGED, []), (EVERYTHING, ["--full"])):
            shutil.copytree(folder / FIRST, folder / name)
            seconds[name] = night(folder / name, second, arguments.system, *heap, *more)
        _compare(folder, seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=25_000, help="questions of the site; about 2.7 posts each")
    parser.add_argument("--touched", type=float, default=0.03, help="share of the threads with a new answer")
    parser.add_argument("--system", default="metadata_logistic_asof")
    parser.add_argument("--heap", default="4g", help="of the Java process")
    parser.add_argument("--scratch", default=None, help="folder for temporary output; removed afterwards")
    return parser.parse_args()


def answer_again(posts: Path, share: float) -> int:
    """Append a copy of an answer of some threads under a new id and the latest time; return the number of threads."""
    every, touched, seen = round(1 / share), 0, 0
    copy = posts.with_suffix(".new")
    with posts.open(encoding="utf-8") as lines:
        end = max(date[1] for line in lines if (date := CREATED.search(line)))
    # Line ends stay as they are.
    with posts.open(encoding="utf-8", newline="") as lines, copy.open("w", encoding="utf-8", newline="") as changed:
        answered: set[str] = set()
        for line in lines:
            changed.write(line)
            parent = re.search(r' ParentId="(\d+)"', line)
            if parent and parent[1] not in answered:
                answered.add(parent[1])
                seen += 1
                if seen % every == 0:
                    renamed = re.sub(r' Id="\d+"', f' Id="{FIRST_NEW_ID + touched}"', line, count=1)
                    changed.write(CREATED.sub(f' CreationDate="{end}"', renamed))
                    touched += 1
    copy.replace(posts)
    return touched


def night(lake: Path | str, dump: Path | str, system: str, *more: str) -> float:
    """Run a night in a separate process; return its seconds."""
    command = [
        str(Path(sys.executable).with_name("cqa")), "nightly", "--input", str(dump), "--lake", str(lake),
        "--system", system, "--min-answers", "2", "--evaluation.resamples", "999",
        "--checks.min-rank-correlation", "-1", *more,
    ]  # fmt: skip
    started = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - started


def _compare(folder: Path, seconds: dict[str, float]) -> None:
    spark = spark_session("bench")
    snapshots = {name: published_snapshot(Lake(spark, str(folder / name))) for name in seconds}
    one, other = (snapshots[name].read(RANKINGS).drop("run_id") for name in (CHANGED, EVERYTHING))
    assert one.exceptAll(other).isEmpty(), "the rankings differ"
    assert other.exceptAll(one).isEmpty(), "the rankings differ"
    names = list(snapshots)
    grid = Table(
        "step",
        *[Column(f"{name}, s", justify="right") for name in names],
        title="The second night both ways: same rankings",
    )
    steps = {name: {step.step: step.seconds for step in each.record.steps} for name, each in snapshots.items()}
    for step in dict.fromkeys(step for name in names for step in steps[name]):
        grid.add_row(step, *[f"{steps[name].get(step, 0):.1f}" for name in names])
    grid.add_row("the command", *[f"{seconds[name]:.1f}" for name in names])
    Console(width=100).print(grid)
    for name in (EVERYTHING, FIRST):
        print(f"{CHANGED} takes {seconds[CHANGED] / seconds[name]:.0%} of {name}")
    spark.stop()


if __name__ == "__main__":
    main()
