"""The texts of posts and comments: their keys, which equal texts share, and their words, without an analyser.

Words are found by regular expressions, fast enough for a whole dump, in Spark and in Python.
"""

import re

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.text import DOCUMENTS, comment_document
from cqa_spark.text.scripts import TERM, spaced, spaced_text

# Text after an unclosed "<" is kept. It is matched as a whole, so that the search does not restart at every "<" in it.
_TAG = r"<[^>]*+>|(<[^>]*+)"
_CLOSED_TAG = re.compile(r"<[^>]*+>")
_WORD = rf"{TERM}|[\p{{L}}\p{{N}}_]+"
_PYTHON_WORD = re.compile(rf"{TERM}|\w+")


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


def plain_text() -> Column:
    """Title and body of a row of ``posts``, without HTML tags; code and entities are kept."""
    return F.trim(F.concat_ws(" ", "subject", F.regexp_replace(F.coalesce("body", F.lit("")), _TAG, " $1")))


def post_words() -> Column:
    """The words of a row of ``posts``: runs of letters, digits and underscores, in lower case, in order.

    In scripts without spaces, words are pairs of characters.
    """
    return F.regexp_extract_all(spaced(F.lower(plain_text())), F.lit(_WORD), 0)


def plain_text_of(subject: str | None, body: str | None) -> str:
    """``plain_text`` of a post in Python."""
    head, unclosed, tail = _CLOSED_TAG.sub(" ", body or "").partition("<")
    without_tags = f"{head} {unclosed}{tail}" if unclosed else head
    return (without_tags if subject is None else f"{subject} {without_tags}").strip(" ")


def words_of(plain: str) -> list[str]:
    """``post_words`` of a post with this plain text, in Python."""
    return _PYTHON_WORD.findall(spaced_text(plain.lower()))
