"""The layout of a table's files: which files a revision rewrites, and which small files it merges."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.table_state import Action, TableState, file_path

FEW_SITES = 8
"""Sites up to which writes do not bring the rows of a site together, which takes a shuffle, and revisions of a small
table do not search for the files that they change, which takes a query."""

REWRITTEN = 16 << 20
"""Size of a table of few sites, in bytes, up to which all of its files are rewritten without searching for the affected
ones."""

SMALL = 16 << 20
"""Size, in bytes, below which a file is small."""

MOST_SMALL = 8
"""Number of small files of a site up to which revisions do not merge them."""


def is_rewritten_whole(state: TableState) -> bool:
    """Whether a revision rewrites all files of a table without searching for the affected ones."""
    return state.bytes <= REWRITTEN and len(state.files_by_partition()) <= FEW_SITES


def files_with_keys(rows: DataFrame, state: TableState, keys: DataFrame) -> Mapping[str, Action]:
    """The files with rows of the given keys, by path; takes a query.

    Args:
        rows: the rows of the state, read from its files.
        state: a version of the table.
        keys: distinct keys; all or some of the key columns.
    """
    name = F.col("_metadata.file_name").alias("_name")
    folders = [F.col(column).alias(f"_{column}") for column in state.partition_by]
    named = rows.select(*keys.columns, name, *folders)
    with_keys = named.join(keys, on=keys.columns, how="left_semi").drop(*keys.columns).distinct()
    found = {tuple(row) for row in with_keys.collect()}  # a task gives its files of all partitions one name
    return {
        path: add
        for path, add in state.added.items()
        if (file_path(path).rpartition("/")[2], *map(add["partitionValues"].get, state.partition_by)) in found
    }


def small_files(state: TableState) -> dict[str, Action]:
    """The small files of partitions that have many."""
    found: dict[str, Action] = {}
    for files in state.files_by_partition().values():
        small = {path: add for path, add in files.items() if add["size"] < SMALL}
        if len(small) > MOST_SMALL:
            found |= small
    return found
