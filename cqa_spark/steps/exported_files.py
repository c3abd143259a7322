"""Describes the files of an export, and checks that they contain every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from urllib.parse import unquote

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.lake.storage import Lake

PARQUET, JSON_LINES = "parquet", "json"

_WITHOUT_VALUES = {PARQUET: ("parquet", "site string"), JSON_LINES: ("text", "value string, site string")}
"""The Spark source that counts a format's rows, and its schema; inference would turn the site 007 into the number 7."""


@dataclass(frozen=True)
class ExportedFile:
    """One file.

    Attributes:
        format: "parquet" or "json".
        path: relative to the lake's root, as in the file system or the bucket.
        site: site of its rankings.
        rows: number of rows.
        bytes: its size.
        sha256: hash of its bytes, hexadecimal.
    """

    format: str
    path: str
    site: str
    rows: int
    bytes: int
    sha256: str


def exported_files(lake: Lake, folder: str) -> list[ExportedFile]:
    """Describe the files of an export, which has a folder per format and in it a partition per site.

    Args:
        lake: the lake.
        folder: relative to the lake's root.

    Returns:
        The files with rows.
    """
    found = reduce(DataFrame.unionByName, [_described(lake, folder, each) for each in _WITHOUT_VALUES]).collect()
    return [
        ExportedFile(row.format, _within(folder, row.uri), row.site, row.rows, row.length, row.sha256) for row in found
    ]


def in_order(files: Iterable[ExportedFile]) -> list[ExportedFile]:
    """Files by format and path."""
    return sorted(files, key=lambda file: (file.format != PARQUET, file.path))


def _described(lake: Lake, folder: str, file_format: str) -> DataFrame:
    within = lake.path(folder, file_format)
    # Spark's APIs report either paths or URIs; the URI is the same for all sources.
    uri = F.col("_metadata.file_path").alias("uri")
    source, schema = _WITHOUT_VALUES[file_format]
    rows = lake.spark.read.schema(schema).format(source).load(within)
    counts = rows.groupBy(uri, "site").agg(F.count(F.lit(1)).alias("rows"))
    binary = lake.spark.read.format("binaryFile").option("recursiveFileLookup", True).option("pathGlobFilter", "part-*")
    content = binary.load(within).select(uri, "length", F.sha2("content", 256).alias("sha256"))
    return counts.join(content, on="uri", how="inner").withColumn("format", F.lit(file_format))


def require_every_row(files: Iterable[ExportedFile], served: Mapping[str, int], run_id: str) -> None:
    """Check that the files contain all served rows, for each site and format.

    Args:
        files: of both formats.
        served: number of served rows, by site.
        run_id: the run.

    Raises:
        ContractError: they do not; names the first site that differs.
    """
    exported: Counter[tuple[str, str]] = Counter()
    for file in files:
        exported[file.format, file.site] += file.rows
    expected = {(each, site): rows for each in (PARQUET, JSON_LINES) for site, rows in served.items()}
    for file_format, site in sorted(expected | exported, key=repr):
        found, wanted = exported[file_format, site], expected.get((file_format, site), 0)
        if found != wanted:
            raise ContractError(
                f"the export of run {run_id} is incomplete: {found} of {wanted} rows of site {site!r} in {file_format} "
                "files",
                "run cqa export again; until then exports/current.json names the previous files",
            )


def _within(folder: str, uri: str) -> str:
    """The path of a file, relative to the lake's root. Its URI is decoded once: Spark itself encodes folder names."""
    return f"{folder}/{unquote(uri).rpartition(f'/{folder}/')[2]}"
