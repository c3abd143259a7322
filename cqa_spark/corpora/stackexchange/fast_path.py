"""Parse the lines of a dump by native expressions.

A dump's writer puts every row on a line of its own, every value in double quotes, and a double quote within a value as
an escape. A line that breaks these rules, or holds a value that does not fit its column, is recognised and left to the
tolerant path.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add, and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.columns import column_types
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.json_text import END, with_json
from cqa_spark.corpora.stackexchange.values import BETWEEN_NUMBERS, PLAIN_NUMBERS, is_number, unchecked_value

ROW, NOT_A_ROW, SUSPECT = range(3)
"""Kinds of lines."""

OPENING, CLOSING = "<row ", '" />'
MARKUP = r"<\?xml[^<]*\?>|<!DOCTYPE[^<\[]*>|<!--(?:(?!-->).)*-->"
NAME = r"^[A-Za-z_][A-Za-z0-9_.-]*$"
TEXTS = "map<string,string>"


def parse_lines(lines: DataFrame, dump: DumpTable) -> DataFrame:
    """Parse lines.

    Args:
        lines: what ``lines.read_lines`` gives, a row per line.
        dump: the kind of rows.

    Returns:
        The columns of ``lines`` but its value; kind (int); where that is ``ROW``, unknown_attributes and row, a struct
        with a field for every attribute.
    """
    kept = [name for name in lines.columns if name != "value"]
    parsed = _parsed(with_json(_cut(lines, dump, kept), "attributes"), dump, kept)
    unknown = F.when(F.col("others_count") > 0, _others(dump)).alias("unknown_attributes")
    judged = parsed.select(*kept, "form", "text_count", "is_whole", "numbers_fit", "others_count", unknown, "row")
    return judged.select(*kept, _kind(dump).alias("kind"), "unknown_attributes", "row")


def _cut(lines: DataFrame, dump: DumpTable, kept: list[str]) -> DataFrame:
    """Judge a line by its ends, and take out what is between ``<row`` and the last quote."""
    returns = F.endswith("value", F.lit("\r")).cast("int")
    ends = lines.select(*kept, "value", returns.alias("returns"), F.expr(f"instr(value, '{OPENING}')").alias("start"))
    length = "octet_length(value) - returns"
    closing = f"substring(cast(value as binary), {length} - {len(CLOSING) - 1}, {len(CLOSING)})"
    inner = (
        f"cast(substring(cast(value as binary), start + {len(OPENING)}, "
        f"{length} - start - {len(OPENING) + len(CLOSING) - 1}) as string)"
    )
    before_is_blank = F.trim(F.substring_index("value", OPENING, 1)) == ""
    cut = ends.withColumns(
        {
            "in_tag": (F.col("start") > 0) & before_is_blank & (F.expr(closing).cast("string") == CLOSING),
            "attributes": F.expr(inner),
        }
    )
    return cut.select(*kept, _form(dump).alias("form"), "attributes")


def _form(dump: DumpTable) -> Column:
    is_row = F.col("in_tag") & ~F.contains("attributes", F.lit("<"))
    not_row = F.col("value").rlike(rf"(?i)^\s*(?:</?{dump.root}\s*/?>|{MARKUP})?\s*$")
    return F.when(is_row, ROW).when(~F.col("in_tag") & not_row, NOT_A_ROW).otherwise(SUSPECT)


def _parsed(lines: DataFrame, dump: DumpTable, kept: list[str]) -> DataFrame:
    """Take the known attributes out of the JSON and give them their types, whether they fit or not."""
    schema = T.StructType([T.StructField(attribute, T.StringType()) for attribute in [*dump.attributes, END]])
    texts = lines.select(*kept, "form", "attribute_count", "json", F.from_json("json", schema).alias("texts"))
    by_column = {name: F.col(f"texts.{attribute}") for attribute, name in dump.attributes.items()}
    types = column_types(dump)
    numbers = [text for name, text in by_column.items() if is_number(name, types[name])]
    values = [unchecked_value(text, types[name]).alias(name) for name, text in by_column.items()]
    text_count = _count(by_column.values())
    others = F.col("attribute_count") - text_count
    return texts.select(
        *kept,
        "form",
        text_count.alias("text_count"),
        F.col("texts")[END].isNotNull().alias("is_whole"),
        F.concat_ws(BETWEEN_NUMBERS, *numbers).rlike(PLAIN_NUMBERS).alias("numbers_fit"),
        others.alias("others_count"),
        F.when(others > 0, F.col("json")).alias("json"),
        F.struct(*values).alias("row"),
    )


def _others(dump: DumpTable) -> Column:
    """Attributes of other names, without those whose name is none."""
    texts = F.from_json("json", TEXTS)
    return F.map_filter(texts, lambda name, _: ~name.isin(*dump.attributes) & name.rlike(NAME))


def _kind(dump: DumpTable) -> Column:
    """The line's form, but what looks like a row is suspect where a value does not fit or an attribute is left over."""
    unknown = F.col("unknown_attributes")
    names = F.array_distinct(F.map_keys(unknown))  # JSON does not mind a name twice
    left = F.col("others_count") - F.when(unknown.isNotNull(), F.size(names)).otherwise(0)
    given = [F.col(f"row.{dump.attributes[attribute]}").isNotNull() for attribute in dump.required]
    fit = _count(F.col(f"row.{name}") for name in dump.attributes.values()) == F.col("text_count")
    sound = reduce(and_, [F.col("is_whole"), F.col("numbers_fit"), fit, left == 0, *given])
    return F.when((F.col("form") == ROW) & ~F.coalesce(sound, F.lit(False)), SUSPECT).otherwise(F.col("form"))


def _count(columns: Iterable[Column]) -> Column:
    """How many are not null."""
    return reduce(add, [column.isNotNull().cast("int") for column in columns])
