"""What changed from one version of a table to another: rows by the key that the table declares, and by content."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
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
        after: rows of the later one.
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
        frame.select(*table.key, F.struct(*hashes, *kept).alias(name))
        for name, frame in (("before", before), ("after", after))
    ]
    both = sides[0].join(sides[1], on=list(table.key), how="full_outer")
    was, is_ = F.col("before").isNotNull(), F.col("after").isNotNull()
    differing = both.where(~F.col("before.hash").eqNullSafe(F.col("after.hash")))
    change = F.when(~was, NEW).when(~is_, GONE).otherwise(CHANGED).alias("change")
    tells = (~F.col("before.told").eqNullSafe(F.col("after.told"))).alias("tells")
    versions = F.filter(F.array("before", "after"), lambda version: version.isNotNull())
    rows = differing.select(*table.key, change, tells, F.explode(versions).alias("row"))
    return rows.select(*table.key, "change", "tells", *[f"row.{name}" for name in kept])


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
