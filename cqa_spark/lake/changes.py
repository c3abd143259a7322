"""What changed from one version of a table to another: rows by the key that the table declares, and by content."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.lake.table import Table

ORIGIN = "source_file"
"""Where a row was read from says nothing of the row: it is not compared."""

NEW, GONE, CHANGED = "new", "gone", "changed"


def changed_rows(
    table: Table, before: DataFrame, after: DataFrame, *, telling: Sequence[str] = (), kept: Sequence[str] = ()
) -> DataFrame:
    """The rows whose key is in one version only, or whose content differs.

    Args:
        table: declares both versions.
        before: rows of the earlier version.
        after: rows of the later one. Rows that are in both versions may lack on both sides.
        telling: columns that somebody computes from; none for all.
        kept: columns that are wanted of the rows.

    Returns:
        The key, ``change`` (``NEW``, ``GONE`` or ``CHANGED``), ``tells`` (whether a telling column differs, or the row
        is in one version only) and the kept columns; of a changed row both versions.
    """
    fields = [field for field in table.columns if field.name not in (*table.key, ORIGIN)]
    hashes = (
        _content_hash(fields).alias("hash"),
        _content_hash([field for field in fields if not telling or field.name in telling]).alias("told"),
    )
    sides = [
        frame.select(*table.key, F.struct(*hashes, *kept).alias("row"), F.lit(sign).alias("came"))
        for sign, frame in ((-1, before), (1, after))
    ]
    # What is as often on one side as on the other cancels itself out.
    net = sides[0].unionByName(sides[1]).groupBy(*table.key, "row").agg(F.sum("came").alias("came"))
    of_key = Window.partitionBy(*table.key)
    was, is_ = F.min("came").over(of_key) < 0, F.max("came").over(of_key) > 0
    change = F.when(~was, NEW).when(~is_, GONE).otherwise(CHANGED).alias("change")
    told_before, told_after = F.min("row.told").over(of_key), F.max("row.told").over(of_key)
    tells = (~was | ~is_ | (told_before != told_after)).alias("tells")
    return net.where("came <> 0").select(*table.key, change, tells, *[F.col(f"row.{name}") for name in kept])


def fingerprint(field: T.StructField) -> Column:
    """The value, or 64 bits of a long one: so texts need not travel to be compared; two of them meet once in 10^19."""
    value = comparable(field)
    long = isinstance(field.dataType, T.StringType | T.ArrayType | T.MapType)
    short = F.when(value.isNotNull(), F.xxhash64(value)) if long else value
    return short.alias(field.name)


def comparable(field: T.StructField) -> Column:
    """The value in a form that equal values share: maps have no order, and cannot be compared as they are."""
    value = F.col(field.name)
    return F.array_sort(F.map_entries(value)) if isinstance(field.dataType, T.MapType) else value


def _content_hash(content: Sequence[T.StructField]) -> Column:
    """64 bits of a row's content. The hash passes over nulls, so which columns are null is hashed beside them."""
    values = [comparable(field) for field in content]
    return F.xxhash64(*[value.isNull() for value in values], *values)
