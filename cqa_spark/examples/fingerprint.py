"""Fingerprints of threads, which are equal for raw and cleansed copies of the same text."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

# Cleansed texts are truncated to about 1,000 characters, with other punctuation and without markup.
COMPARED_LETTERS = 200
# Shorter questions ("Good bank?") may be asked twice, so the first comment must match, too.
TELLING_LETTERS = 40


def fingerprints(posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Fingerprint every question.

    Args:
        posts: of the schema ``POSTS``.
        comments: of the schema ``COMMENTS``.

    Returns:
        site, post_id, subject, fingerprint (a hash; null if the question has no letters).
    """
    first = comments.where(F.col("position") == 1).select("site", "post_id", F.col("body").alias("reply"))
    questions = posts.where(F.col("post_type") == "question").select(
        "site", "post_id", "subject", letters(F.concat_ws(" ", "subject", "body")).alias("text")
    )
    with_reply = F.concat_ws("|", "text", letters(F.col("reply")))
    telling = F.when(F.length("text") >= TELLING_LETTERS, F.col("text")).otherwise(with_reply)
    hashed = F.when(F.length("text") > 0, F.xxhash64(telling))
    return questions.join(first, on=["site", "post_id"], how="left").select(
        "site", "post_id", "subject", hashed.alias("fingerprint")
    )


def letters(text: Column) -> Column:
    """The first letters and digits of a text in lower case, without markup, even if it is escaped once or twice."""
    plain = F.regexp_replace(F.lower(text), "&(amp;)+", "&")
    markup = F.replace(F.replace(plain, F.lit("&lt;"), F.lit("<")), F.lit("&gt;"), F.lit(">"))
    bare = F.regexp_replace(markup, "<[^<>]*>|&#?[a-z0-9]+;", "")
    return F.substring(F.regexp_replace(bare, r"[^\p{L}\p{N}]+", ""), 1, COMPARED_LETTERS)
