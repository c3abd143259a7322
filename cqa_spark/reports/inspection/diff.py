"""What changed from one run to another: rows new, gone and changed, table by table, by the key that they declare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.lake.changes import ORIGIN, fingerprint
from cqa_spark.lake.table import Table
from cqa_spark.reports.inspection.collect.by_site import stacked
from cqa_spark.reports.inspection.content import Counted

TEXT = "body"
"""The column of posts that holds their text; a title that changed counts in its own column."""


@dataclass(frozen=True)
class TableChanges:
    """What changed in one table of one site.

    Attributes:
        site: the site.
        table: name of the table.
        new: rows whose key only the later run has.
        gone: rows whose key only the earlier run has.
        changed: rows of both runs of which any column but the source file differs.
        columns: changed rows by the column that differs, the most frequent first.
        changed_in_text: changed rows whose text differs; None for all tables but posts.
    """

    site: str
    table: str
    new: int
    gone: int
    changed: int
    columns: tuple[Counted, ...]
    changed_in_text: int | None = None


@dataclass(frozen=True)
class Comparison:
    """What changed from one run to another.

    Attributes:
        before: id of the earlier run.
        after: id of the later run.
        tables: every table that both wrote, site by site.
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
        pairs: for each table its rows of the earlier and of the later run.

    Returns:
        Site by site in alphabetical order, the tables of each in the order given.
    """
    if not pairs:
        return ()
    rows = stacked(_changes(table, *pair) for table, pair in pairs.items()).collect()
    place = {table.name: number for number, table in enumerate(pairs)}
    return tuple(_table_changes(row) for row in sorted(rows, key=lambda row: (row.site, place[row.table])))


def _changes(table: Table, before: DataFrame, after: DataFrame) -> DataFrame:
    compared = [field for field in table.columns if field.name not in (*table.key, ORIGIN)]
    sides = [
        frame.select(*table.key, F.struct(*[fingerprint(field) for field in compared]).alias(name))
        for name, frame in (("before", before), ("after", after))
    ]
    both = sides[0].join(sides[1], on=list(table.key), how="full_outer")
    in_before, in_after = F.col("before").isNotNull(), F.col("after").isNotNull()
    in_both = in_before & in_after
    differs = {
        field.name: in_both & ~F.col(f"before.{field.name}").eqNullSafe(F.col(f"after.{field.name}"))
        for field in compared
    }
    by_column = [
        F.struct(F.lit(name).alias("column"), F.count_if(each).alias("rows")) for name, each in differs.items()
    ]
    in_text = [F.count_if(differs[TEXT]).alias("changed_in_text")] if table.name == "posts" else []
    return both.groupBy("site").agg(
        F.lit(table.name).alias("table"),
        F.count_if(~in_before).alias("new"),
        F.count_if(~in_after).alias("gone"),
        F.count_if(reduce(or_, differs.values())).alias("changed"),
        F.filter(F.array(*by_column), lambda each: each.rows > 0).alias("columns"),
        *in_text,
    )


def _table_changes(row: Row) -> TableChanges:
    columns = sorted(
        (Counted(each.column, each.rows) for each in row.columns), key=lambda each: (-each.rows, each.name)
    )
    return TableChanges(
        row.site,
        row.table,
        row.new,
        row.gone,
        row.changed,
        tuple(columns),
        row.changed_in_text if "changed_in_text" in row and row.table == "posts" else None,
    )
