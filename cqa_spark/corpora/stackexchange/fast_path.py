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

from cqa_spark.corpora.stackexchange.columns import typed
from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.json_text import with_json

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
        The columns of ``lines`` but its value; kind (int); where that is ``ROW``, unknown_attributes and a column
        for every attribute.
    """
    kept = [name for name in lines.columns if name != "value"]
    parsed = _parsed(with_json(_cut(lines, dump, kept), "attributes"), dump, kept)
    unknown = F.when(F.col("others_count") > 0, _others(dump))
    columns = list(dump.attributes.values())
    judged = parsed.select(
        *kept, "form", "fits", "others_count", unknown.alias("unknown_attributes"), *columns
    )  # fmt: skip
    return judged.select(*kept, _kind().alias("kind"), "unknown_attributes", *columns)


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
    """Take the known attributes out of the JSON and give them their types."""
    schema = T.StructType([T.StructField(attribute, T.StringType()) for attribute in dump.attributes])
    options = {"allowUnquotedControlChars": "true"}  # a tab within a value, which XML allows
    rows = lines.select(*kept, "form", "attribute_count", "json", F.from_json("json", schema, options).alias("row"))
    texts = {name: F.col(f"row.{attribute}") for attribute, name in dump.attributes.items()}
    values = typed(dump, texts)
    fits = [text.isNull() | values[name].isNotNull() for name, text in texts.items()]
    given = [values[dump.attributes[attribute]].isNotNull() for attribute in dump.required]
    known = reduce(add, [text.isNotNull().cast("int") for text in texts.values()])
    others = F.col("attribute_count") - known
    return rows.select(
        *kept,
        "form",
        _all([*given, *fits]).alias("fits"),
        others.alias("others_count"),
        F.when(others > 0, F.col("json")).alias("json"),
        *[value.alias(name) for name, value in values.items()],
    )


def _others(dump: DumpTable) -> Column:
    """Attributes of other names, without those whose name is none."""
    texts = F.from_json("json", TEXTS, {"allowUnquotedControlChars": "true"})
    return F.map_filter(texts, lambda name, _: ~name.isin(*dump.attributes) & name.rlike(NAME))


def _kind() -> Column:
    """The line's form, but what looks like a row is suspect where a value does not fit or an attribute is left over."""
    left = F.col("others_count") - F.when(
        F.col("unknown_attributes").isNotNull(), F.size("unknown_attributes")
    ).otherwise(0)
    sound = F.coalesce(F.col("fits") & (left == 0), F.lit(False))
    return F.when((F.col("form") == ROW) & ~sound, SUSPECT).otherwise(F.col("form"))


def _all(conditions: Iterable[Column]) -> Column:
    return reduce(and_, conditions)
