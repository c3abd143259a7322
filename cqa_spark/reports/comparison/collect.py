"""Counts the changes between two runs in Spark."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.table import Table
from cqa_spark.reports.comparison.content import TableChanges
from cqa_spark.reports.comparison.row_changes import CHANGED, GONE, NEW, changed_columns
from cqa_spark.reports.inspection.by_site import stacked
from cqa_spark.reports.inspection.tables.content import Counted

TEXT = "body"
"""Column of posts that holds their text; the title counts as a column of its own."""


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
    place = {table.name: number for number, table in enumerate(pairs)}
    return tuple(_table_changes(row) for row in sorted(rows, key=lambda row: (row.site, place[row.table])))


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
            F.filter(F.array(*by_column), lambda each: each.rows > 0).alias("columns"),
        )
    )
    sites = before.select("site").union(after.select("site")).distinct()
    return sites.join(counts, on="site", how="left").withColumn("table", F.lit(table.name))


def _table_changes(row: Row) -> TableChanges:
    columns = {each.column: each.rows for each in row.columns or ()}
    return TableChanges(
        row.site,
        row.table,
        row.new or 0,
        row.gone or 0,
        row.changed or 0,
        tuple(Counted(name, columns[name]) for name in sorted(columns, key=lambda name: (-columns[name], name))),
        columns.get(TEXT, 0) if row.table == POSTS.name else None,
    )
