"""The texts of posts and comments, and their keys, which equal texts share; imports no analyser."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.text import DOCUMENTS, comment_document


def documents(posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Assign the key of its text to every post and comment.

    Args:
        posts: the table ``posts``; a post's text is its subject and its body, one line each.
        comments: the table ``comments``; a comment's text is its body.

    Returns:
        The table ``documents``, one row per post and comment.
    """
    text_id, subject_text_id = _text_id("raw").alias("text_id"), _text_id("subject").alias("subject_text_id")
    raw_texts = _raw_texts(posts, comments)
    return DOCUMENTS.conform(raw_texts.select("site", "document_id", text_id, subject_text_id, "split"))


def distinct_texts(posts: DataFrame, comments: DataFrame) -> DataFrame:
    """The distinct texts that ``documents`` refers to, for ``analyse``.

    Args:
        posts: the table ``posts``.
        comments: the table ``comments``.

    Returns:
        ``text_id`` (SHA-256, hexadecimal) and ``raw`` (the text as in the dump), one row per distinct text.
    """
    raw = _raw_texts(posts, comments).select(F.explode(F.array("raw", "subject")).alias("raw"))
    return raw.where(F.col("raw").isNotNull()).select(_text_id("raw").alias("text_id"), "raw").distinct()


def _raw_texts(posts: DataFrame, comments: DataFrame) -> DataFrame:
    from_posts = posts.select(
        "site",
        F.col("post_id").alias("document_id"),
        F.concat_ws("\n", "subject", "body").alias("raw"),
        "subject",
        "split",
    )
    from_comments = comments.select(
        "site",
        comment_document().alias("document_id"),
        F.coalesce("body", F.lit("")).alias("raw"),
        F.lit(None).cast("string").alias("subject"),
        "split",
    )
    return from_posts.unionByName(from_comments)


def _text_id(column: str) -> Column:
    return F.sha2(column, 256)
