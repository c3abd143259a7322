"""Turn the attributes of a row into the text of a JSON object.

A dump's row is a few replacements away from JSON, which Spark parses as fast as it parses anything.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

# What JSON would take for its own, and a blank that starts a value: what follows would take it for the blank after one.
GUARDED = {"\\": "\\\\", '=" ': '="\\u0020'}
# A double quote within a value is escaped, so these stand between a name and its value, and between two attributes;
# only a value that ends in an equals sign looks like the first, and makes JSON that cannot be parsed.
BETWEEN = {'="': '":"', '" ': '","'}
# No replacement gives an ampersand, so their order does not matter as long as the ampersand's own comes last:
# "&amp;lt;" ends as "&lt;".
ESCAPES = {"&lt;": "<", "&gt;": ">", "&quot;": '\\"', "&#xA;": "\\n"}
RARE_ESCAPES = {"&#xD;": "\\r", "&#x9;": "\\t"}
AMPERSAND = "&amp;"
# A member after the last one, of a name that no attribute has: a brace among the attributes, at which JSON would end
# and Spark stop reading, leaves it out.
END = "/"
REPLACE = ("org.apache.commons.lang3.StringUtils", "replace")


def with_json(frame: DataFrame, attributes: str) -> DataFrame:
    """Put JSON in the place of attributes.

    Args:
        frame: holds a column of texts such as ``Id="1" Body="&lt;p&gt;"``.
        attributes: that column.

    Returns:
        The other columns; attribute_count (int); json (string): null where an escape is not known or a byte no text,
        of any form where the text is not as described.
    """
    kept = [name for name in frame.columns if name != attributes]
    needs_guard = reduce(or_, [_holds(attributes, each) for each in GUARDED])
    guarded = F.when(needs_guard, _replace_all(F.col(attributes), GUARDED)).otherwise(F.col(attributes))
    # Projections of their own: what the next step uses several times would otherwise be computed several times.
    between = frame.select(
        *kept,
        F.when(needs_guard, _attributes(F.col(attributes))).alias("attribute_count"),
        F.octet_length(attributes).alias("bytes"),
        _replace_all(guarded, BETWEEN).alias("members"),
    )
    # n attributes have n signs of the first kind and n - 1 of the second, and each adds a byte.
    added = F.octet_length("members") - F.col("bytes")
    plain = between.select(
        *kept,
        F.coalesce("attribute_count", F.shiftright(added + 1, 1)).alias("attribute_count"),
        _replace_all(F.col("members"), ESCAPES).alias("members"),
    )
    rare = F.when(_holds("members", "&#"), _replace_all(F.col("members"), RARE_ESCAPES)).otherwise(F.col("members"))
    rarely = plain.select(*kept, "attribute_count", rare.alias("members"))
    # Java replaces invalid bytes by U+FFFD; whether the text held the character itself, the tolerant path finds out.
    is_text = ~_holds("members", "\ufffd")
    resolved = F.when(
        _holds("members", "&"),
        F.when(~_holds(_replace(F.col("members"), AMPERSAND, ""), "&"), _replace(F.col("members"), AMPERSAND, "&")),
    ).otherwise(F.col("members"))
    json = F.concat(F.lit('{"'), resolved, F.lit(f'","{END}":""}}'))
    return rarely.select(*kept, "attribute_count", F.when(is_text, json).alias("json"))


def _attributes(text: Column) -> Column:
    """How many attributes a text has: two quotes each, but for the last one's second."""
    return F.shiftright(F.size(F.split(text, '"')), 1)


def _holds(text: Column | str, searched: str) -> Column:
    return F.contains(text, F.lit(searched))


def _replace_all(text: Column, replacements: dict[str, str]) -> Column:
    return reduce(lambda left, each: _replace(left, *each), replacements.items(), text)


def _replace(text: Column, searched: str, replacement: str) -> Column:
    """Java's own search for a short text, several times as fast as Spark's ``replace``."""
    return F.java_method(*map(F.lit, REPLACE), text, F.lit(searched), F.lit(replacement))
