"""Converts attribute texts of a row to the columns of its table."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.values import INVENTED, post_type, value

PARENT = "parent_id"  # the question of an answer; called thread in the lake's tables
ANSWER = 2
COMMUNITY = "-1"  # the user of automatic actions
UNKNOWN = "unknown_attributes"


def column_types(dump: DumpTable) -> dict[str, T.DataType]:
    """The types of the columns that attributes fill."""
    declared = {column.name: column.dataType for column in dump.table.columns}
    return {name: declared.get(name, T.StringType()) for name in dump.attributes.values()}


def typed(dump: DumpTable, texts: Mapping[str, Column]) -> dict[str, Column]:
    """The values of the columns that attributes fill; null if the text does not fit the column's type.

    Args:
        dump: the kind of rows.
        texts: the attributes' texts without escapes, by column.
    """
    return {name: value(texts[name], name, data_type) for name, data_type in column_types(dump).items()}


def table_rows(dump: DumpTable, rows: DataFrame) -> DataFrame:
    """Select the declared columns of the table from typed rows; those about people that are withheld are null.

    Args:
        dump: the kind of rows.
        rows: site, source_file, unknown_attributes and the columns that attributes fill.
    """
    more: dict[str, Column] = {}
    if dump.file == "Posts":
        # Only answers have a parent; an answer without one is its own thread.
        parent = F.when(F.col("post_type_id") == ANSWER, F.col(PARENT))
        more = {"post_type": _post_type(dump.invented_from), "thread_id": F.coalesce(parent, "post_id")}
    if "split" in dump.table.schema.names:
        more["split"] = F.lit(UNANNOTATED)
    if UNKNOWN in dump.withheld:
        # The names tell that the format of the dumps has changed, and nothing about a person.
        more[UNKNOWN] = F.transform_values(UNKNOWN, lambda _name, _value: F.lit(None).cast("string"))
    wide = rows.withColumns(more) if more else rows
    stored = [name for name in dump.table.schema.names if name in more or name not in dump.withheld]
    return dump.table.complete(wide.select(*[name for name in wide.columns if name in stored]))


def _post_type(invented_from: int | None) -> Column:
    """The name of a post's type; posts that the archive invents have one of their own, whatever their number says."""
    named = post_type(F.col("post_type_id"))
    if invented_from is None:
        return named
    is_invented = (F.col("user_id") == COMMUNITY) & (F.col("post_id").cast("bigint") >= invented_from)
    return F.when(is_invented, INVENTED).otherwise(named)
