"""Compares the time of a nightly run that computes the changed sites with that of a full run.

    .venv/bin/python bench/nightly.py --sites 8 --changed 1 --threads 3000

Two dumps of several sites are generated; in the second one, some sites changed: a share of their threads has a new
answer, an edit or new votes, and half of their questions were viewed. The first night writes a lake. The second night
runs twice, as usual and with ``--full``, each in a separate process on a copy of that lake. Both must produce the
same rankings. Steps are printed side by side, with the ratio of the totals.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO
from zlib import crc32

from measuring import add_figure
from rich.console import Console
from rich.table import Column, Table

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.spark.session import spark_session
from cqa_spark.synth.stackexchange.dump import write_dump

FIRST_NEW_ID = 10**9
FIRST, CHANGED, EVERYTHING = "the first night", "the changed sites", "everything"
KINDS = ("answers", "edits", "votes")
ID = re.compile(r' Id="(\d+)"')
CREATED = re.compile(r' CreationDate="([^"]+)"')
LAST_EDIT = re.compile(r' LastEditDate="[^"]*"')
QUESTION = re.compile(r' Id="(\d+)" PostTypeId="1"')
ANSWER = re.compile(r' ParentId="(\d+)"')
VIEWS = re.compile(r' ViewCount="(\d+)"')
SCORE = re.compile(r' Score="(-?\d+)"')


def main() -> None:
    """Generate the dumps, run the nights, compare the rankings and print the times."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="cqa-bench-", dir=arguments.scratch) as scratch:
        folder = Path(scratch)
        first, second = folder / "dumps" / "first", folder / "dumps" / "second"
        sites = [f"bench{number}.example.org" for number in range(arguments.sites)]
        for seed, site in enumerate(sites):
            write_dump(first, site=site, threads=arguments.threads, seed=seed)
        shutil.copytree(first, second)
        made: Counter[str] = Counter()
        for site in sites[: arguments.changed]:
            made += change(second / site, arguments.touched)
        changes = ", ".join(f"{number:,} {kind}" for kind, number in sorted(made.items()))
        print(f"{arguments.sites} sites of {arguments.threads:,} threads; in the second dump {changes}")
        heap = ["--spark.driver-memory", arguments.heap]
        seconds = {FIRST: night(folder / FIRST, first, arguments.system, *heap)}
        for name, more in ((CHANGED, []), (EVERYTHING, ["--full"])):
            shutil.copytree(folder / FIRST, folder / name)
            seconds[name] = night(folder / name, second, arguments.system, *heap, *more)
        _compare(folder, seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=8, help="number of sites")
    parser.add_argument("--changed", type=int, default=1, help="number of sites that change")
    parser.add_argument("--threads", type=int, default=3_000, help="questions of a site; about 2.7 posts each")
    parser.add_argument(
        "--touched", type=float, default=0.03, help="share of a changed site's threads with new answers, edits or votes"
    )
    parser.add_argument("--system", default="night_answers")
    parser.add_argument("--heap", default="4g", help="of the Java process")
    parser.add_argument("--scratch", default=None, help="folder for temporary output; removed afterwards")
    return parser.parse_args()


def change(folder: Path, share: float) -> Counter[str]:
    """Change a dump: of a share of the threads, each third gets an answer, an edit of the question, or votes.

    Half of the questions are also viewed once more. Answers, edits and votes have the latest time of the dump.

    Args:
        folder: folder of the dump's files.
        share: share of the threads.

    Returns:
        The number of changes of each kind.
    """
    posts, votes = folder / "Posts.xml", folder / "Votes.xml"
    with posts.open(encoding="utf-8") as lines:
        end = max(date[1] for line in lines if (date := CREATED.search(line)))
    made: Counter[str] = Counter()
    answered: set[str] = set()
    new_votes = []
    with _rewritten(posts) as (lines, changed):
        for line in lines:
            question, answer = QUESTION.search(line), ANSWER.search(line)
            if question and int(question[1]) % 2:
                made["views"] += 1
                line = VIEWS.sub(lambda views: f' ViewCount="{int(views[1]) + 1}"', line, count=1)
            thread = question or answer
            match _kind(thread[1], share) if thread else None:
                case "edits" if question:
                    made["edits"] += 1
                    line = LAST_EDIT.sub("", line).replace(' Body="', f' LastEditDate="{end}" Body="Edit: ', 1)
                case "answers" if answer and answer[1] not in answered:
                    answered.add(answer[1])
                    changed.write(_as_new(line, made["answers"], end))
                    made["answers"] += 1
                case "votes" if answer and (post := ID.search(line)):
                    row = f'  <row Id="{FIRST_NEW_ID + made["votes"]}" PostId="{post[1]}" VoteTypeId="2"'
                    new_votes.append(f'{row} CreationDate="{end[:10]}T00:00:00.000" />\n')
                    line = SCORE.sub(lambda score: f' Score="{int(score[1]) + 1}"', line, count=1)
                    made["votes"] += 1
            changed.write(line)
    with _rewritten(votes) as (lines, changed):
        for line in lines:
            if line.startswith("</"):
                changed.writelines(new_votes)
            changed.write(line)
    return made


@contextmanager
def _rewritten(path: Path) -> Iterator[tuple[TextIO, TextIO]]:
    """A file to read, and the one that replaces it at the end; line ends stay as they are."""
    copy = path.with_suffix(".new")
    with path.open(encoding="utf-8", newline="") as lines, copy.open("w", encoding="utf-8", newline="") as changed:
        yield lines, changed
    copy.replace(path)


def _kind(thread: str, share: float) -> str | None:
    """The kind of change of a thread; None for none."""
    drawn = crc32(thread.encode())
    return KINDS[drawn % len(KINDS)] if drawn < share * 2**32 else None


def _as_new(line: str, number: int, created: str) -> str:
    """A copy of a post, with a new id and another time."""
    renamed = ID.sub(f' Id="{FIRST_NEW_ID + number}"', line, count=1)
    return CREATED.sub(f' CreationDate="{created}"', renamed)


def night(lake: Path | str, dump: Path | str, system: str, *more: str) -> float:
    """Run a night in a separate process; return its seconds."""
    command = [
        str(Path(sys.executable).with_name("cqa")), "nightly", "--input", str(dump), "--lake", str(lake),
        "--system", system, "--checks.min-rank-correlation", "-1", *more,
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
    add_figure("a night of the changed sites", seconds[CHANGED], seconds[EVERYTHING], "s", "a night of all sites")
    spark.stop()


if __name__ == "__main__":
    main()
