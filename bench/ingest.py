"""Compares the speed of reading Posts.xml into a table with spark-xml, xml2arrow and copying text.

    .venv/bin/python bench/ingest.py build/dumps/big.example.org/Posts.xml
    .venv/bin/python bench/ingest.py --generate 200MB 1GB

Each subject runs in a separate process, one after the other, with the same cores and heap. The clock starts when Spark
has started and stops when its files are complete. Peak memory is that of a subject's process tree, as measured by
measuring.py. Every subject runs `--repeat` times, and the best run counts; the first run of a process includes Java's
just-in-time compilation.
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, pairwise
from math import log
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measuring import add_figure, in_own_process, peak_memory
from pydantic import ByteSize, TypeAdapter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from rich.console import Console
from rich.table import Table
from xml2arrow import XmlToArrowParser

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.probe import Access, probe
from cqa_spark.corpora.stackexchange.ranges import OpenFile, read_files
from cqa_spark.corpora.stackexchange.values import ValueKind
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.writing import Destination
from cqa_spark.object_store.locations import split
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.session import spark_session
from cqa_spark.synth.stackexchange.dump import write_dump
from cqa_spark.synth.stackexchange.population import threads_for_size

PEER = "com.databricks:spark-xml_2.12:0.18.0"
SITE = "bench.example.org"
OURS, XML, RUST, FLOOR = "ours", "spark-xml", "xml2arrow", "text"
ABOUT = {
    FLOOR: "lines to Parquet, unparsed: the floor",
    XML: f"{PEER}, the same columns and types, to Parquet",
    RUST: "xml2arrow 0.19, in one process, the same columns, to Parquet by pyarrow",
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
            size = Path(file).stat().st_size
            seconds[size] = results[OURS]["seconds"]
            ours, peer = (size / 1e6 / results[subject]["seconds"] for subject in (OURS, XML))
            add_figure(f"Posts.xml of {size / 1e6:,.0f} MB to a table", ours, peer, "MB/s", XML)
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
    return in_own_process(__file__, file, "--subject", subject, "--scratch", folder, *options)


def _measure(subject: str, file: str, arguments: argparse.Namespace) -> dict[str, float]:
    scratch = tempfile.TemporaryDirectory(dir=arguments.scratch)
    with peak_memory() as peak, _session(subject, arguments) as spark, scratch as folder:
        write = {OURS: _ours, XML: _spark_xml, RUST: _xml2arrow, FLOOR: _text}[subject]
        seconds = [_timed(partial(write, spark, file, f"{folder}/{run}")) for run in range(arguments.repeat)]
        rows = spark.read.parquet(f"{folder}/0").count()
        return {"seconds": min(seconds), "rows": rows, "peak": peak[0], "first": seconds[0]}


@contextmanager
def _session(subject: str, arguments: argparse.Namespace) -> Iterator[SparkSession]:
    if subject == XML:
        SparkSession.builder.config("spark.jars.packages", PEER).config("spark.driver.memory", arguments.heap).master(
            f"local[{arguments.cores}]"
        ).getOrCreate()  # which the session below then is
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
    access = Access(ObjectStorageSettings(), UnpackLimits())
    root, folder = split(target)
    destinations = {
        POSTS.name: Destination(POSTS, root, folder, access.storage),
        QUARANTINE.name: Destination(QUARANTINE, root, f"{folder}-refused", access.storage),
    }
    (read,) = read_files(spark, [OpenFile(0, dump, probe(dump, access))], access, destinations).files
    assert read.counts[2] == 0, "the benchmark's input is sound"


def _spark_xml(spark: SparkSession, file: str, target: str) -> None:
    (dump,) = find_dump_files([file], SITE)
    kinds = dump.dump_table.kinds
    fields = [
        T.StructField(f"_{attribute}", _SPARK_TYPES.get(kinds[column], T.StringType()))
        for attribute, column in dump.dump_table.attributes.items()
    ]
    rows: DataFrame = spark.read.format("xml").option("rowTag", "row").schema(T.StructType(fields)).load(file)
    rows.withColumn("site", F.lit(SITE)).write.partitionBy("site").parquet(target)


_SPARK_TYPES = {ValueKind.INTEGER: T.IntegerType(), ValueKind.LONG: T.LongType(), ValueKind.TIME: T.TimestampType()}


def _xml2arrow(spark: SparkSession, file: str, target: str) -> None:
    (dump,) = find_dump_files([file], SITE)
    kinds = {name: dump.dump_table.kinds[column] for name, column in dump.dump_table.attributes.items()}
    fields = [
        {
            "name": name,
            "xml_path": f"/posts/row/@{name}",
            "data_type": _RUST_TYPES.get(kind, "Utf8"),
            "nullable": True,
        }
        for name, kind in kinds.items()
    ]
    Path(target).mkdir()
    settings = Path(target, "_settings.yaml")
    settings.write_text(
        json.dumps({"tables": [{"name": "posts", "xml_path": "/posts", "levels": [], "fields": fields}]})
    )
    batches = XmlToArrowParser(settings).parse_single_table(file)
    schema = pa.schema(
        [
            field.with_type(pa.timestamp("us")) if kinds[field.name] is ValueKind.TIME else field
            for field in batches.schema
        ]
    )
    with pq.ParquetWriter(Path(target, "part.parquet"), schema) as writer:
        for batch in batches:
            writer.write_table(pa.Table.from_batches([batch]).cast(schema))


_RUST_TYPES = {ValueKind.INTEGER: "Int32", ValueKind.LONG: "Int64"}


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
