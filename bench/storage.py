"""Compares nightly runs on object storage with the local disk, and counts the requests to the server.

    .venv/bin/python bench/storage.py
    .venv/bin/python bench/storage.py --threads 5000 --nights 12

Two dumps of a site are generated; in the second one, a share of the threads has a new answer, an edit or new votes. The
nights read them alternately. On the local disk, dumps and lake are folders. On object storage, both are in a bucket of
versitygw on loopback (`make versitygw`). Its access log gives the number of requests, and the bytes of responses to
list requests.
The nights show whether requests grow with the number of earlier runs: publishing reads the commits of a table's log
since its last checkpoint, which ``deltalake`` writes every ten commits.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from nightly import change, night
from rich.console import Console
from rich.table import Table

from cqa_spark.object_store.s3 import s3_client
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.synth.stackexchange.dump import write_dump

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "integration"))

from versitygw import ACCESS_KEY, SECRET_KEY, program, versitygw  # noqa: E402 - it lies with the tests

SITE = "bench.example.org"
BUCKET = "cqa-bench"
LOGGED = re.compile(r" s3_(?P<kind>\w+) \S+ \S+ \d{3} \S+ (?P<sent>\d+) ")
LISTINGS = {"ListObjects", "ListObjectsV2"}
KINDS = ("HeadObject", "ListObjectsV2", "GetObject", "PutObject", "DeleteObject", "DeleteObjects")


@dataclass(frozen=True)
class Night:
    """One night on object storage.

    Attributes:
        seconds: seconds of the whole command.
        requests: number of requests by kind.
        listed: bytes of responses to list requests.
    """

    seconds: float
    requests: Counter[str]
    listed: int


def main() -> None:
    """Generate the dumps, run the nights on both storages and print the results."""
    arguments = _arguments()
    if not program().exists():
        sys.exit(f"not found: {program().relative_to(REPOSITORY)}; run: make versitygw")
    with tempfile.TemporaryDirectory(prefix="cqa-bench-", dir=arguments.scratch) as scratch:
        folder = Path(scratch)
        dumps = _dumps(folder, arguments)
        local = [night(folder / "lake", dumps[number % 2], arguments.system) for number in range(arguments.nights)]
        os.environ |= {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
        (folder / "s3").mkdir()
        log = folder / "access.log"
        with versitygw(folder / "s3", "--access-log", log) as settings:
            remote = _nights_on_s3(dumps, settings, log, arguments)
    Console(width=140).print(_table(local, remote))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2000, help="questions of the site")
    parser.add_argument("--touched", type=float, default=0.03, help="share of the threads that change")
    parser.add_argument("--nights", type=int, default=6, help="number of nights; the first one trains")
    parser.add_argument("--system", default="metadata_logistic_asof")
    parser.add_argument("--scratch", default=None, help="folder for temporary output; removed afterwards")
    return parser.parse_args()


def _dumps(folder: Path, arguments: argparse.Namespace) -> list[Path]:
    first = write_dump(folder / "first", site=SITE, threads=arguments.threads, seed=1).folder
    second = folder / "second" / SITE
    shutil.copytree(first, second)
    change(second, arguments.touched)
    return [first, second]


def _nights_on_s3(
    dumps: list[Path], settings: ObjectStorageSettings, log: Path, arguments: argparse.Namespace
) -> list[Night]:
    client = s3_client(settings)
    client.create_bucket(Bucket=BUCKET)
    for dump in dumps:
        for file in sorted(dump.iterdir()):
            client.upload_file(str(file), BUCKET, f"{dump.parent.name}/{SITE}/{file.name}")
    flags = ["--object-storage.endpoint", str(settings.endpoint), "--no-object-storage.tls"]
    flags += ["--object-storage.path-style"]
    nights = []
    for number in range(arguments.nights):
        remote = f"s3a://{BUCKET}/{dumps[number % 2].parent.name}/{SITE}"
        seen = log.stat().st_size
        seconds = night(f"s3a://{BUCKET}/lake", remote, arguments.system, *flags)
        nights.append(_asked(seconds, log, seen))
    return nights


def _asked(seconds: float, log: Path, seen: int) -> Night:
    """The requests of a night, from the server's log after a byte offset."""
    with log.open("rb") as lines:
        lines.seek(seen)
        found = [match for line in lines if (match := LOGGED.search(line.decode()))]
    listed = sum(int(match["sent"]) for match in found if match["kind"] in LISTINGS)
    return Night(seconds, Counter(match["kind"] for match in found), listed)


def _table(local: list[float], remote: list[Night]) -> Table:
    title = "A night on the local disk and on object storage, and its requests by kind"
    table = Table("night", title=title)
    for name in ("disk, s", "S3, s", "requests", *KINDS, "other", "listed, kB"):
        table.add_column(name, justify="right")
    for number, (seconds, asked) in enumerate(zip(local, remote, strict=True), start=1):
        requests = [asked.requests[kind] for kind in KINDS]
        other = asked.requests.total() - sum(requests)
        counts = [f"{count:,}" for count in (asked.requests.total(), *requests, other)]
        table.add_row(str(number), f"{seconds:.1f}", f"{asked.seconds:.1f}", *counts, f"{asked.listed / 1e3:,.0f}")
    return table


if __name__ == "__main__":
    main()
