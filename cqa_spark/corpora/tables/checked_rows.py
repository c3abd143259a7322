"""The rows of a user's table: those that are stored, those that are refused, and their counts."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.tables.conversion import PROBLEM, RAW
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.table import Table

_NUMBER = "_number"
"""Column with the number of a row, which identifies it in the quarantine."""


def checked(rows: DataFrame, table: Table) -> DataFrame:
    """Refuse all but the first of rows with one key, by the rows' texts, and number all rows.

    Args:
        rows: as ``converted`` returns them.
        table: the declaration.

    Returns:
        The rows; their numbers are not the same when they are computed again, so persist them.
    """
    of_key = Window.partitionBy(*table.key, F.col(PROBLEM).isNull()).orderBy(RAW)
    repeats = F.col(PROBLEM).isNull() & (F.row_number().over(of_key) > 1)
    repeated = F.concat(F.lit("another row has the same "), F.lit(", ".join(table.key)))
    with_problem = rows.withColumn(PROBLEM, F.when(repeats, repeated).otherwise(F.col(PROBLEM)))
    return with_problem.withColumn(_NUMBER, F.monotonically_increasing_id())


def good_rows(rows: DataFrame, table: Table) -> DataFrame:
    """The checked rows that the table stores."""
    return table.conform(rows.where(F.col(PROBLEM).isNull()).select(*table.schema.names))


def refused_rows(rows: DataFrame, site: Column) -> DataFrame:
    """The checked rows that go to the quarantine, with the site that they count for."""
    refused = rows.where(F.col(PROBLEM).isNotNull()).select(
        site.alias("site"), "source_file", F.col(_NUMBER).alias("byte_offset"), F.col(PROBLEM).alias("reason"),
        F.col(RAW).alias("raw"),
    )  # fmt: skip
    return QUARANTINE.conform(refused)


def counts_by(rows: DataFrame, column: Column) -> dict[str, tuple[int, int]]:
    """The numbers of checked rows and of refused ones, by the values of a column that are few."""
    counted = rows.groupBy(column.alias("value")).agg(
        F.count(F.lit(1)).alias("rows"), F.count(PROBLEM).alias("refused")
    )
    return {row["value"]: (row["rows"], row["refused"]) for row in counted.collect()}


def account(site: str, source_file: str, split: str, table: Table, counts: tuple[int, int]) -> FileAccount:
    """The account of a user's table, whose records are not lines.

    Args:
        site: the site of the rows.
        source_file: name of the user's table.
        split: the split of the rows.
        table: the table that they fill.
        counts: numbers of rows and of refused ones.
    """
    rows, refused = counts
    return FileAccount(
        site=site, source_file=source_file, split=split, table_name=table.name, lines=None, not_rows=None,
        is_complete=None, rows_in=rows, rows_out=rows - refused, rows_quarantined=refused,
    )  # fmt: skip
