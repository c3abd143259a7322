"""Parses the lines of a dump with vectorised functions.

Lines that deviate from the dump's usual form, or have a value that does not fit its column, are detected and left to
the tolerant path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial, reduce
from operator import add, and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.columns import column_types
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.line_batches import ROW, SUSPECT, parse_batches
from cqa_spark.corpora.stackexchange.values import BETWEEN_NUMBERS, PLAIN_NUMBERS, is_number, unchecked_value


def parse_lines(lines: DataFrame, dump: DumpTable, other_roots: Mapping[int, str] | None = None) -> DataFrame:
    """Parse lines.

    Args:
        lines: as ``lines.read_lines`` returns them, one row per line.
        dump: the kind of rows.
        other_roots: root elements by file, where they are others than that of the kind.

    Returns:
        The columns of ``lines`` except value; kind (int); for ``ROW``, unknown_attributes and row, a struct with a
        field for every attribute.
    """
    kept = [field for field in lines.schema if field.name != "value"]
    names = [field.name for field in kept]
    parsed = [
        T.StructField("kind", T.IntegerType()),
        T.StructField("unknown_attributes", T.MapType(T.StringType(), T.StringType())),
        *[T.StructField(name, T.StringType()) for name in dump.attributes.values()],
    ]
    parse = partial(parse_batches, dump.root, dict(other_roots or {}), list(dump.attributes))
    return _typed(lines.select(*names, "value").mapInArrow(parse, T.StructType([*kept, *parsed])), dump, names)


def _typed(lines: DataFrame, dump: DumpTable, kept: list[str]) -> DataFrame:
    """Cast the texts to their types; a row is suspect if a value does not fit or is missing."""
    types = column_types(dump)
    texts = {name: F.col(name) for name in types}
    numbers = [text for name, text in texts.items() if is_number(name, types[name])]
    values = [unchecked_value(text, types[name]).alias(name) for name, text in texts.items()]
    typed = lines.select(
        *kept,
        "kind",
        "unknown_attributes",
        _count(texts.values()).alias("text_count"),
        F.concat_ws(BETWEEN_NUMBERS, *numbers).rlike(PLAIN_NUMBERS).alias("numbers_fit"),
        F.struct(*values).alias("row"),
    )
    given = [F.col(f"row.{dump.attributes[attribute]}").isNotNull() for attribute in dump.required]
    fit = _count(F.col(f"row.{name}") for name in types) == F.col("text_count")
    sound = reduce(and_, [F.col("numbers_fit"), fit, *given])
    kind = F.when((F.col("kind") == ROW) & ~sound, SUSPECT).otherwise(F.col("kind"))
    return typed.select(*kept, kind.alias("kind"), "unknown_attributes", "row")


def _count(columns: Iterable[Column]) -> Column:
    """Number of columns that are not null."""
    return reduce(add, [column.isNotNull().cast("int") for column in columns])
