"""Row and null counts of a table, in one query."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.checks.check import Contents

_NESTED = (T.ArrayType, T.MapType, T.StructType)


def contents_of(frame: DataFrame) -> Contents:
    """Count a table's rows, and the nulls of its columns."""
    names = [field.name for field in frame.schema if not isinstance(field.dataType, _NESTED)]
    shares = [F.avg(F.col(name).isNull().cast("double")).alias(name) for name in names]
    row = frame.agg(F.count(F.lit(1)).alias("rows"), F.struct(*shares).alias("shares")).first()
    assert row is not None, "an aggregate has one row"
    return Contents(row["rows"], {name: row["shares"][name] or 0.0 for name in names})
