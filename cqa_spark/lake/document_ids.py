"""The ids of documents, which are posts and comments."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def comment_document() -> Column:
    """The document_id of a row of ``comments``; distinguishes ids of posts and comments of Stack Exchange."""
    return F.when(F.col("thread_id").isNull(), F.concat(F.lit("comment "), "comment_id")).otherwise(F.col("comment_id"))
