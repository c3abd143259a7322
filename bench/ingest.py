"""Compares the speed of reading Posts.xml into a table with spark-xml and with copying the text.

    .venv/bin/python bench/ingest.py build/dumps/big.example.org/Posts.xml
    .venv/bin/python bench/ingest.py --generate 200MB 1GB

Each subject runs in a separate process, one after the other, with the same cores and heap. The clock starts when Spark
has started and stops when its files are complete. Peak memory is that of a subject's process tree, as measured by
memory.py. Every subject runs `--repeat` times, and the best run counts; the first run of a process includes Java's
just-in-time compilation.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, pairwise
from math import log
from pathlib import Path

from memory import peak_memory
from pydantic import ByteSize, TypeAdapter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from rich.console import Console
from rich.table import Table

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.stackexchange.columns import column_types
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.file_probe import probe
from cqa_spark.corpora.stackexchange.lines import OpenFile
from cqa_spark.corpora.stackexchange.table_reader import TableReader
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.writing import write_files
from cqa_spark.object_store.split import split
from cqa_spark.spark.session import spark_session
from cqa_spark.synth.stackexchange.dump import write_dump
from cqa_spark.synth.stackexchange.plan import threads_for_size

PEER = "com.databricks:spark-xml_2.12:0.18.0"
SITE = "bench.example.org"
OURS, XML, FLOOR = "ours", "spark-xml", "text"
ABOUT = {
    FLOOR: "lines to Parquet, unparsed: the floor",
    XML: f"{PEER}, the same columns and types, to Parquet",
    OURS: "to the files of a lake, every line counted",
}


def main() -> None:
    """Measure and print a table for every file."""
    arguments = _arguments()
    if arguments.subject:
        print(json.dumps(_measure(arguments.subject, arguments.files[0], arguments)))
        return
    with tempfile.TemporaryDirectory(prefix="cqa-bench-", dir=arguments.scratch) as folder:
        seconds: dict[int, float] = {}
        for file in chain(arguments.files, _generated(arguments.generate, Path(folder))):
            results = {subject: _in_own_process(subject, file, arguments, folder) for subject in ABOUT}
            Console(width=120).print(_table(file, results))
            seconds[Path(file).stat().st_size] = results[OURS]["seconds"]
        for smaller, larger in pairwise(sorted(seconds)):
            power = log(seconds[larger] / seconds[smaller]) / log(larger / smaller)
            print(
                f"ours, {smaller / 1e6:,.0f} to {larger / 1e6:,.0f} MB: time grows as size to the power of {power:.2f}"
            )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="Posts.xml files")
    parser.add_argument("--generate", nargs="+", default=[], metavar="SIZE", help="sizes of dumps to generate")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--heap", default="4g", help="of the one Java process")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each subject in its process")
    parser.add_argument("--scratch", default=None, help="folder for temporary output; removed afterwards")
    parser.add_argument("--subject", choices=list(ABOUT), help=argparse.SUPPRESS)
    return parser.parse_args()


def _generated(sizes: list[str], folder: Path) -> Iterator[str]:
    for size in sizes:
        threads = threads_for_size(TypeAdapter(ByteSize).validate_python(size))
        yield str(write_dump(folder / size, site=SITE, threads=threads, seed=1).folder / "Posts.xml")
        shutil.rmtree(folder / size)


def _in_own_process(subject: str, file: str, arguments: argparse.Namespace, folder: str) -> dict[str, float]:
    options = ["--cores", str(arguments.cores), "--heap", arguments.heap, "--repeat", str(arguments.repeat)]
    command = [sys.executable, __file__, file, "--subject", subject, "--scratch", folder, *options]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return result


def _measure(subject: str, file: str, arguments: argparse.Namespace) -> dict[str, float]:
    scratch = tempfile.TemporaryDirectory(dir=arguments.scratch)
    with peak_memory() as peak, _session(subject, arguments) as spark, scratch as folder:
        write = {OURS: _ours, XML: _spark_xml, FLOOR: _text}[subject]
        seconds = [_timed(partial(write, spark, file, f"{folder}/{run}")) for run in range(arguments.repeat)]
        rows = spark.read.parquet(f"{folder}/0").count()
        return {"seconds": min(seconds), "rows": rows, "peak": peak[0], "first": seconds[0]}


@contextmanager
def _session(subject: str, arguments: argparse.Namespace) -> Iterator[SparkSession]:
    if subject == XML:
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--packages {PEER} pyspark-shell"
    master = f"local[{arguments.cores}]"
    spark = spark_session("bench", master=master, partitions=arguments.cores, driver_memory=arguments.heap)
    yield spark
    spark.stop()


def _timed(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _ours(spark: SparkSession, file: str, target: str) -> None:
    (dump,) = find_dump_files([file], SITE)
    reader = TableReader(spark, dump.dump_table, {0: OpenFile(dump, probe(spark, dump))})
    root, folder = split(target)
    write_files(reader.sound_rows(), POSTS, root, folder, ObjectStorageSettings())
    assert not reader.needs_closer_look(reader.lines()), "the benchmark's input is sound"


def _spark_xml(spark: SparkSession, file: str, target: str) -> None:
    (dump,) = find_dump_files([file], SITE)
    types = column_types(dump.dump_table)
    fields = [
        T.StructField(f"_{attribute}", T.StringType() if name == "tags" else types[name])
        for attribute, name in dump.dump_table.attributes.items()
    ]
    rows: DataFrame = spark.read.format("xml").option("rowTag", "row").schema(T.StructType(fields)).load(file)
    rows.withColumn("site", F.lit(SITE)).write.partitionBy("site").parquet(target)


def _text(spark: SparkSession, file: str, target: str) -> None:
    spark.read.option("lineSep", "\n").text(file).write.parquet(target)


def _table(file: str, results: dict[str, dict[str, float]]) -> Table:
    size = Path(file).stat().st_size
    with open(file, "rb") as lines:
        rows = sum(line.lstrip().startswith(b"<row ") for line in lines)
    table = Table(title=f"Posts.xml of {size / 1e6:,.0f} MB, {rows:,} rows")
    for name in ("way", "MB/s", "times spark-xml", "seconds", "first run", "rows", "rows lost", "peak memory", "what"):
        table.add_column(name, justify="left" if name in ("way", "what") else "right")
    for subject, result in results.items():
        lost = "" if subject == FLOOR else f"{rows - result['rows']:,}"
        table.add_row(
            subject,
            f"{size / 1e6 / result['seconds']:.1f}",
            f"{results[XML]['seconds'] / result['seconds']:.2f}",
            f"{result['seconds']:.1f}",
            f"{result['first']:.1f}",
            f"{result['rows']:,.0f}",
            lost,
            f"{result['peak'] / 1e6:,.0f} MB",
            ABOUT[subject],
        )
    return table


if __name__ == "__main__":
    main()
