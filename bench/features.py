"""Compares the speed of computing the seven as-of groups of preferred answers with plain pandas.

    .venv/bin/python bench/features.py --posts 250000 1000000 4000000
    .venv/bin/python bench/features.py --posts 250000 --uneven

Both read a generated site from Parquet. Each subject runs in a separate process, one after the other, on the same
cores. The clock starts when Spark, or the program, has started, and stops when the values of all groups are written;
ours are written as in a lake. Because of Java's just-in-time compiler, ours runs twice: in a fresh process, and in one
that has computed a smaller site before, like a job that has read a dump. At the start, both compute a small site and
all values are compared. Peak memory is that of a subject's process tree, as measured by measuring.py.
"""

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from community_tables import write_site
from measuring import add_figure, in_own_process, peak_memory
from pandas_metadata import metadata_in_pandas
from pyarrow.dataset import dataset
from pyspark.sql import SparkSession
from rich.console import Console
from rich.table import Table

from cqa_spark.features.group import PassKey
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.features.registry import group_class
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.lake.table import Table as Declared
from cqa_spark.lake.writing import Destination, write_files
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import run_concurrently
from cqa_spark.spark.session import spark_session

GROUPS = ("basic_q", "basic_a", "q_tags", "comments", "basic_u", "badges", "u_tags")
PASSES = ("queries", "authors")
TABLES = ("examples", "posts", "comments", "users", "votes", "badges")
SUBJECTS = OURS, WARM, PANDAS = "ours", "ours, warmed up", "pandas"
SMALL = 3000
WARM_UP = 50_000


def main() -> None:
    """Compare a small site, then measure every size."""
    arguments = _arguments()
    if arguments.subject:
        print(json.dumps(_measure(arguments.subject, Path(arguments.folder), arguments)))
        return
    with tempfile.TemporaryDirectory(prefix="cqa-bench-", dir=arguments.scratch) as scratch:
        if arguments.check:
            _check(Path(scratch) / "small", arguments)
        table = _empty_table()
        if arguments.posts and WARM in arguments.subjects:
            write_site(Path(scratch) / "warm", posts=WARM_UP)
        for posts in arguments.posts:
            folder = Path(scratch) / str(posts)
            write_site(folder, posts=posts, uneven=arguments.uneven)
            found = {subject: _in_own_process(subject, folder, arguments) for subject in arguments.subjects}
            for subject, result in found.items():
                _add(table, posts, subject, result)
            if {WARM, PANDAS} <= found.keys():
                ours, peer = (found[subject]["seconds"] for subject in (WARM, PANDAS))
                add_figure(f"seven as-of groups, {posts:,} posts", ours, peer, "s", PANDAS)
        if arguments.posts:
            Console(width=120).print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", nargs="*", type=int, default=[], help="sizes of the sites, in posts")
    parser.add_argument("--uneven", action="store_true", help="one user writes a fifth of all answers")
    parser.add_argument("--subjects", nargs="+", choices=SUBJECTS, default=SUBJECTS)
    parser.add_argument(
        "--check", action=argparse.BooleanOptionalAction, default=True, help="compare a small site first"
    )
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--heap", default="4g", help="of the one Java process")
    parser.add_argument("--scratch", default=None, help="folder for temporary output; removed afterwards")
    parser.add_argument("--subject", choices=SUBJECTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_own_process(subject: str, folder: Path, arguments: argparse.Namespace) -> dict[str, float]:
    options = ["--cores", str(arguments.cores), "--heap", arguments.heap]
    return in_own_process(__file__, "--subject", subject, "--folder", str(folder), *options)


def _measure(subject: str, folder: Path, arguments: argparse.Namespace) -> dict[str, float]:
    rows = dataset(folder / "examples.parquet").count_rows()
    with peak_memory() as peak:
        spark = _session(arguments) if subject != PANDAS else None
        if spark and subject == WARM:
            _by_spark(spark, folder.with_name("warm"))
        started = time.perf_counter()
        by_group = _by_spark(spark, folder) if spark else _by_pandas(folder)
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "rows": rows, "peak": peak[0]} | by_group


def _by_pandas(folder: Path) -> dict[str, float]:
    """Write the values of all groups, which are computed together, so there are no times per group."""
    tables = {name: pd.read_parquet(folder / f"{name}.parquet") for name in TABLES}
    for name, values in metadata_in_pandas(tables).items():
        values.to_parquet(folder / f"pandas_{name}.parquet")
    return {}


def _by_spark(spark: SparkSession, folder: Path) -> dict[str, float]:
    """Write the values of all groups, with both passes concurrently as in our jobs; return the seconds of each."""
    inputs = _inputs(spark, folder)
    started = time.perf_counter()
    fitted = fit_groups([group_class(f"{name}_asof_v1") for name in GROUPS], inputs, folds=5)
    learned = {"learning": round(time.perf_counter() - started, 1)}

    def compute_and_write(place: PassKey) -> float:
        started = time.perf_counter()
        here = {name: each for name, each in fitted.items() if each.on_all.pass_key is place}
        values = compute_pass(here, inputs, 5)
        target = f"spark_{place.value}"
        shutil.rmtree(folder / target, ignore_errors=True)
        declared = Declared("values", "Values of all groups.", tuple(values.schema.fields), key=())
        write_files(values, Destination(declared, str(folder), target, ObjectStorageSettings()))
        return round(time.perf_counter() - started, 1)

    return learned | dict(zip(PASSES, run_concurrently(compute_and_write, PassKey), strict=True))


def _inputs(spark: SparkSession, folder: Path) -> FeatureInputs:
    read = {name: spark.read.parquet(str(folder / f"{name}.parquet")) for name in TABLES}
    # No group of these reads texts.
    return FeatureInputs(
        read["examples"], read["posts"], read["comments"], DOCUMENTS.empty(spark), TEXTS.empty(spark),
        users=read["users"], votes=read["votes"], badges=read["badges"],
    )  # fmt: skip


def _check(folder: Path, arguments: argparse.Namespace) -> None:
    write_site(folder, posts=SMALL)
    _by_pandas(folder)
    spark = _session(arguments)
    _by_spark(spark, folder)
    for name in GROUPS:
        group = group_class(f"{name}_asof_v1")
        wide = spark.read.parquet(str(folder / f"spark_{group.pass_key.value}"))
        ours = wide.select("query_id", "candidate_id", f"{group.name}.*").toPandas()
        theirs = pd.read_parquet(folder / f"pandas_{name}.parquet")
        key = [column for column in ("query_id", "candidate_id") if column in theirs.columns]
        one = ours.sort_values(["query_id", "candidate_id"]).set_index(key)[theirs.columns.drop(key)]
        # Pandas has one row per question in groups of questions, and omits rows without values.
        other = theirs.set_index(key).reindex(one.index)
        assert len(theirs.drop_duplicates(key)) == len(one.dropna(how="all").index.unique()), f"{name}: other rows"
        for column in one.columns:
            same = np.isclose(
                one[column].astype(float), other[column].astype(float), rtol=1e-12, atol=0, equal_nan=True
            )
            assert same.all(), f"{name}.{column}: {(~same).sum()} values differ"
    print(f"{SMALL} posts: all values of {len(GROUPS)} groups are equal")
    spark.stop()


def _session(arguments: argparse.Namespace) -> SparkSession:
    return spark_session(
        "bench", master=f"local[{arguments.cores}]", partitions=2 * arguments.cores, driver_memory=arguments.heap
    )


def _empty_table() -> Table:
    table = Table(title="Seven as-of groups")
    for name in ("posts", "way", "examples", "seconds", "examples/s", "peak memory", "of which"):
        table.add_column(name, justify="left" if name in ("way", "of which") else "right")
    return table


def _add(table: Table, posts: int, subject: str, found: dict[str, float]) -> None:
    by_group = ", ".join(f"{name} {found[name]}" for name in ("learning", *PASSES) if name in found)
    table.add_row(
        f"{posts:,}", subject, f"{found['rows']:,}", f"{found['seconds']:.1f}",
        f"{found['rows'] / found['seconds']:,.0f}", f"{found['peak'] / 1e6:,.0f} MB", by_group,
    )  # fmt: skip


if __name__ == "__main__":
    main()
