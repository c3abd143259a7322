"""Runs the same commands on the installed line of Spark, and prints what they take and a digest of what they publish.

    .venv/bin/python bench/spark_lines.py --data ../shared/data     # in a checkout of each line: make setup SPARK=4

The first night of beer.stackexchange.com (2016-09) in local mode, from and to a bucket (`make versitygw`) and on a
standalone cluster of two workers; what ``cqa demo`` runs; ``cqa run`` on a list of questions; duplicates found by words
among the questions of quantumcomputing.stackexchange.com. Equal digests are equal ranks of all candidates, and measures
that are equal to the last digit; scores differ in the last digits between NumPy 1 and 2, whose logarithms differ.
Processor seconds are those of the command and of all processes below it, the cluster's included.
"""

import argparse
import ctypes
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd
from deltalake import DeltaTable
from rich.console import Console
from rich.table import Column, Table

from cqa_spark.api.lake import open_lake
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.object_store.s3 import s3_client
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.internals import LINE
from cqa_spark.synth.qatar_living import write_sample

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "integration"))

from standalone import standalone_cluster  # noqa: E402 - these lie with the tests
from versitygw import ACCESS_KEY, SECRET_KEY, versitygw  # noqa: E402

BUCKET = "cqa-bench"
CQA = str(Path(sys.executable).with_name("cqa"))
BEER = Path("stackexchange", "beer.stackexchange.com", "2016-09")
ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2): Java outlives the program that started it, and its time would be lost."""


def main() -> None:
    """Run them, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(RUNS)}; default: all")
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data", help="the research data")
    arguments = parser.parse_args()
    if unknown := {*arguments.runs} - RUNS.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1)
    numbers = [Column(name, justify="right") for name in ("processor s", "Spark jobs", "wall s")]
    table = Table("run", *numbers, "rankings", "measures", title=f"Spark {LINE}")
    for name in arguments.runs or RUNS:
        with tempfile.TemporaryDirectory(prefix="cqa-bench-") as folder:
            (events := Path(folder, "events")).mkdir()
            wall, before = time.perf_counter(), _processor_seconds()
            digests = RUNS[name](arguments.data.resolve(), Path(folder), events)
            _wait_for_orphans()
            taken, wall = _processor_seconds() - before, time.perf_counter() - wall
            row = (name, f"{taken:.1f}", str(_jobs(events)), f"{wall:.0f}", *digests)
            print(*row, sep="\t", flush=True)
            table.add_row(*row)
    Console(width=120).print(table)


Digests = tuple[str, str]
"""Of the rows of rankings and of the measures of a published run."""


def _night(data: Path, folder: Path, events: Path) -> Digests:
    return _run([CQA, "nightly", "--input", str(data / BEER)], str(folder / "lake"), events)


def _night_on_s3(data: Path, folder: Path, events: Path) -> Digests:
    os.environ |= {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
    (folder / "s3").mkdir()
    with versitygw(folder / "s3") as settings:
        client, site = s3_client(settings), BEER.parent.name
        client.create_bucket(Bucket=BUCKET)
        for file in sorted((data / BEER).iterdir()):
            client.upload_file(str(file), BUCKET, f"{site}/{file.name}")
        flags = ["--object-storage.endpoint", str(settings.endpoint), "--object-storage.path-style"]
        night = [CQA, "nightly", "--input", f"s3a://{BUCKET}/{site}", *flags, "--no-object-storage.tls"]
        return _run(night, f"s3a://{BUCKET}/lake", events, settings)


def _night_on_a_cluster(data: Path, folder: Path, events: Path) -> Digests:
    with standalone_cluster(folder, workers=2) as cluster:
        cluster_settings = {"spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "4"}
        options = [option for setting in cluster_settings.items() for option in ("--conf", "=".join(setting))]
        submit = [str(REPOSITORY / "spark-submit.sh"), "--master", cluster.url, *options]
        return _run([*submit, "nightly", "--input", str(data / BEER)], str(folder / "lake"), events)


def _demo(data: Path, folder: Path, events: Path) -> Digests:
    sample = write_sample(folder, threads=200, dev_threads=60, seed=1)
    files = ["--train", str(sample.train), "--dev", str(sample.dev)]
    systems = ["--systems", "given_order", "random", "length", "tfidf", "boosted_a"]
    return _run([CQA, "run", *files, *systems], str(folder / "lake"), events)


def _question_list(data: Path, folder: Path, events: Path) -> Digests:
    questions = ["--dump-format", "question_list", "--input", str(data / "field" / "questions-japanese")]
    systems = ["--systems", "bm25_order", "cosine_order", "retrieval_order", "no_duplicates"]  # too few to learn from
    return _run([CQA, "run", "--config", "conf/duplicates.yaml", *questions, *systems], str(folder / "lake"), events)


def _duplicates_by_words(data: Path, folder: Path, events: Path) -> Digests:
    site = data / "stackexchange" / "quantumcomputing.stackexchange.com"
    systems = ["--systems", "bm25_order", "retrieval_order", "no_duplicates", "--baseline", "bm25_order"]
    return _run([CQA, "duplicates", "--input", str(site), *systems], str(folder / "lake"), events)


RUNS: Mapping[str, Callable[[Path, Path, Path], Digests]] = {
    "night": _night,
    "night on S3": _night_on_s3,
    "night on a cluster": _night_on_a_cluster,
    "demo": _demo,
    "question list": _question_list,
    "duplicates by words": _duplicates_by_words,
}


def _run(command: Sequence[str], lake: str, events: Path, storage: ObjectStorageSettings | None = None) -> Digests:
    """Run a command that publishes, with Spark's log of events; the digests of what it published."""
    logged = {"enabled": "true", "dir": events.as_uri(), "compress": "false", "rolling.enabled": "false"}
    options = " ".join(f"-Dspark.eventLog.{name}={value}" for name, value in logged.items())
    command = [*command, "--lake", lake, "--run-id", "r", "--no-tracking.enabled"]
    subprocess.run(command, env=os.environ | {"SPARK_SUBMIT_OPTS": options}, cwd=REPOSITORY, check=True)
    measures = open_lake(lake, object_storage=storage).run().metrics().to_pandas()
    at_server = {} if storage is None else {"AWS_ENDPOINT_URL": str(storage.endpoint), "AWS_ALLOW_HTTP": "true"}
    rankings = DeltaTable(f"{lake}/tables/{RANKINGS.name}", storage_options=at_server).to_pandas()
    return _digest(rankings.drop(columns="score")), _digest(measures)


def _digest(rows: pd.DataFrame) -> str:
    lines = rows[sorted(rows.columns)].to_csv(index=False).splitlines()  # floats are written in full
    return f"{hashlib.sha256(chr(10).join(sorted(lines)).encode()).hexdigest()[:12]} of {len(rows):,}"


def _jobs(events: Path) -> int:
    (log,) = events.iterdir()
    with log.open(encoding="utf-8") as lines:
        return sum(json.loads(line)["Event"] == "SparkListenerJobStart" for line in lines)


def _processor_seconds() -> float:
    """Of the processes below this one that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait_for_orphans() -> None:
    with suppress(ChildProcessError):
        while True:
            os.wait()


if __name__ == "__main__":
    main()
