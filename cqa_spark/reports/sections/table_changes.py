"""Rows that differ between two runs, by site and table; they are matched by the declared key, compared by content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.table import Table
from cqa_spark.reports.sections.inspection.contents import Counted, stacked

ORIGIN = "source_file"
"""Column that is not compared: the file that a row was read from is not part of its content."""

NEW, GONE, CHANGED = "new", "gone", "changed"


def changed_columns(table: Table, before: DataFrame, after: DataFrame) -> DataFrame:
    """The keys that are in one version only, or whose content differs, with the columns that differ.

    Args:
        table: declaration of both versions.
        before: rows of the earlier version.
        after: rows of the later version.

    Returns:
        The key, ``change`` (``NEW``, ``GONE`` or ``CHANGED``) and ``columns``: names of the columns that differ; empty
        unless the row changed.
    """
    fields = _content(table)
    rows = _unmatched(table, before, after, *map(_fingerprint, fields))
    differing = [F.when(_differs(F.col(f"row.{field.name}")), F.lit(field.name)) for field in fields]
    return rows.groupBy(*table.key, "change").agg(F.array_compact(F.array(*differing)).alias("columns"))


def _unmatched(table: Table, before: DataFrame, after: DataFrame, *content: Column) -> DataFrame:
    """The rows without an equal row in the other version: the key, ``change`` and the struct ``row`` of the content."""
    sides = [
        frame.select(*table.key, F.struct(*content).alias("row"), F.lit(sign).alias("net"))
        for sign, frame in ((-1, before), (1, after))
    ]
    # A row that both versions have equally often cancels out.
    net = sides[0].unionByName(sides[1]).groupBy(*table.key, "row").agg(F.sum("net").alias("net")).where("net <> 0")
    of_key = Window.partitionBy(*table.key)
    was, is_ = F.min("net").over(of_key) < 0, F.max("net").over(of_key) > 0
    change = F.when(~was, NEW).when(~is_, GONE).otherwise(CHANGED)
    return net.select(*table.key, change.alias("change"), "row")


def _content(table: Table) -> list[T.StructField]:
    return [field for field in table.columns if field.name not in (*table.key, ORIGIN)]


def _differs(value: Column) -> Column:
    """Whether a group has several values; null counts as a value."""
    nulls = F.count_if(value.isNull())
    return (F.min(value) != F.max(value)) | ((nulls > 0) & (F.count(value) > 0))


def _fingerprint(field: T.StructField) -> Column:
    """The value, or a 64-bit hash of a long one, so that texts are not shuffled."""
    value = _comparable(field)
    long = isinstance(field.dataType, T.StringType | T.ArrayType | T.MapType)
    short = F.when(value.isNotNull(), F.xxhash64(value)) if long else value
    return short.alias(field.name)


def _comparable(field: T.StructField) -> Column:
    """The value, with a map as sorted entries, because Spark does not compare maps."""
    value = F.col(field.name)
    return F.array_sort(F.map_entries(value)) if isinstance(field.dataType, T.MapType) else value


TEXT = "body"
"""Column of posts that holds their text; the title counts as a column of its own."""


@dataclass(frozen=True)
class TableChanges:
    """Changes in one table of one site.

    Attributes:
        site: name of the site.
        table: name of the table.
        new: rows whose key only the later run has.
        gone: rows whose key only the earlier run has.
        changed: rows of both runs that differ in any column other than the source file.
        columns: number of changed rows by column, most frequent first.
        changed_in_text: changed posts whose body differs; None for all other tables.
    """

    site: str
    table: str
    new: int
    gone: int
    changed: int
    columns: tuple[Counted, ...]
    changed_in_text: int | None = None


@dataclass(frozen=True)
class RunChanges:
    """Changes of rows from one run to another.

    Attributes:
        before: id of the earlier run.
        after: id of the later run.
        tables: tables that both runs wrote, by site.
        only_before: tables that the later run did not write.
        only_after: tables that the earlier run did not write.
    """

    before: str
    after: str
    tables: tuple[TableChanges, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()


def table_changes(pairs: Mapping[Table, tuple[DataFrame, DataFrame]]) -> tuple[TableChanges, ...]:
    """Compare tables row by row.

    Args:
        pairs: for each table, its rows in the earlier and in the later run.

    Returns:
        The changes by site in alphabetical order, and by table in the given order.
    """
    if not pairs:
        return ()
    rows = stacked(_counts(table, *pair) for table, pair in pairs.items()).collect()
    order = {table.name: number for number, table in enumerate(pairs)}
    return tuple(_table_changes(row) for row in sorted(rows, key=lambda row: (row.site, order[row.table])))


def _counts(table: Table, before: DataFrame, after: DataFrame) -> DataFrame:
    """A row per site of either run, with the number of changes, which is null if there are none."""
    change = F.col("change")
    by_column = [
        F.struct(F.lit(name).alias("column"), F.count_if(F.array_contains("columns", name)).alias("rows"))
        for name in table.schema.names
    ]
    counts = (
        changed_columns(table, before, after)
        .groupBy("site")
        .agg(
            *[F.count_if(change == kind).alias(kind) for kind in (NEW, GONE, CHANGED)],
            F.filter(F.array(*by_column), lambda count_of_column: count_of_column.rows > 0).alias("columns"),
        )
    )
    sites = before.select("site").union(after.select("site")).distinct()
    return sites.join(counts, on="site", how="left").withColumn("table", F.lit(table.name))


def _table_changes(row: Row) -> TableChanges:
    columns = {change.column: change.rows for change in row.columns or ()}
    return TableChanges(
        row.site,
        row.table,
        row.new or 0,
        row.gone or 0,
        row.changed or 0,
        tuple(Counted(name, columns[name]) for name in sorted(columns, key=lambda name: (-columns[name], name))),
        columns.get(TEXT, 0) if row.table == POSTS.name else None,
    )


def as_mapping(changed: RunChanges) -> dict[str, Any]:
    """Number of new, gone and changed rows of each site and table, and of changed rows by column."""
    diff: dict[str, dict[str, Any]] = {}
    for changes in changed.tables:
        diff.setdefault(changes.site, {})[changes.table] = _changes(changes)
    return {
        "before": changed.before,
        "after": changed.after,
        "diff": diff,
        "only_before": list(changed.only_before),
        "only_after": list(changed.only_after),
    }


def _changes(changes: TableChanges) -> dict[str, Any]:
    counts: dict[str, Any] = {"new": changes.new, "gone": changes.gone, "changed": changes.changed}
    if changes.changed_in_text is not None:
        counts["changed_in_text"] = changes.changed_in_text
    return {**counts, "columns": {column.name: column.rows for column in changes.columns}}
