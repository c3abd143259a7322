"""Row-level changes between two versions of a table; rows are matched by the declared key and compared by content."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.table import Table

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
