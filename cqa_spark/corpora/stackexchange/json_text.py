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
# only a value that ends in an equals sign looks like the first, and makes JSON that cannot be parsed. Each makes the
# text longer by one byte.
BETWEEN = {'="': '":"', '" ': '","'}
# No replacement gives an ampersand, so their order does not matter as long as the ampersand's own comes last:
# "&amp;lt;" ends as "&lt;".
ESCAPES = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '\\"',
    "&#xA;": "\\n",
    "&#xD;": "\\r",
    "&#x9;": "\\t",
}
AMPERSAND = "&amp;"
REPLACE = ("org.apache.commons.lang3.StringUtils", "replace")


def with_json(frame: DataFrame, attributes: str) -> DataFrame:
    """Put JSON in the place of attributes.

    Args:
        frame: holds a column of texts such as ``Id="1" Body="&lt;p&gt;"``.
        attributes: that column.

    Returns:
        The other columns; json (string; null where an escape is not known or a byte no text, of any form where the
        text is not as described) and attribute_count (int).
    """
    kept = [name for name in frame.columns if name != attributes]
    needs_guard = reduce(or_, [F.contains(attributes, F.lit(each)) for each in GUARDED])
    whole = F.when(needs_guard, _replace_all(F.col(attributes), GUARDED)).otherwise(F.col(attributes))
    between = frame.select(*kept, whole.alias("whole")).select(
        *kept, F.octet_length("whole").alias("bytes"), _replace_all(F.col("whole"), BETWEEN).alias("members")
    )
    count = F.shiftright(F.octet_length("members") - F.col("bytes") + 1, 1)
    plain = between.select(*kept, count.alias("attribute_count"), _replace_all(F.col("members"), ESCAPES).alias("text"))
    # Java replaces invalid bytes by U+FFFD; whether the text held the character itself, the tolerant path finds out.
    is_valid = ~F.contains("text", F.lit("\ufffd"))
    known = is_valid & ~F.contains(_replace(F.col("text"), AMPERSAND, ""), F.lit("&"))
    members = _replace(F.col("text"), AMPERSAND, "&")
    return plain.select(
        *kept, "attribute_count", F.when(known, F.concat(F.lit('{"'), members, F.lit('"}'))).alias("json")
    )


def _replace_all(text: Column, replacements: dict[str, str]) -> Column:
    return reduce(lambda left, each: _replace(left, *each), replacements.items(), text)


def _replace(text: Column, searched: str, replacement: str) -> Column:
    """Java's own search for a short text, several times as fast as Spark's ``replace``."""
    return F.java_method(*map(F.lit, REPLACE), text, F.lit(searched), F.lit(replacement))
