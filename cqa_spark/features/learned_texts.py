"""Training data without labels: texts, and whole threads."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.text import comment_document

LEARNED_FROM = ("train", "unannotated")
"""Splits whose texts are used for unsupervised training."""


def learned_texts(inputs: FeatureInputs) -> DataFrame:
    """The distinct texts of the training and unannotated documents: rows of ``texts``."""
    return inputs.texts.join(_learned_documents(inputs), on="text_id", how="left_semi")


def learned_threads(inputs: FeatureInputs, unit: str) -> DataFrame:
    """Every thread of the training and unannotated documents as one long text.

    Args:
        inputs: the tables.
        unit: an array column of the table ``texts``.

    Returns:
        ``text_id`` (a hash of site and thread) and ``unit``, of all the thread's texts, in the order of their ids.
    """
    posts = inputs.posts.select("site", F.col("post_id").alias("document_id"), "thread_id")
    comments = inputs.comments.select(
        "site", comment_document().alias("document_id"), F.coalesce("thread_id", "post_id").alias("thread_id")
    )
    written = _learned_documents(inputs).join(posts.unionByName(comments), on=["site", "document_id"])
    said = written.join(inputs.texts.select("text_id", unit), on="text_id")
    in_order = F.array_sort(F.collect_list(F.struct("document_id", unit)))
    return (
        said.groupBy("site", "thread_id")
        .agg(F.flatten(in_order[unit]).alias(unit))
        .select(F.sha2(F.concat_ws("/", "site", "thread_id"), 256).alias("text_id"), unit)
    )


def _learned_documents(inputs: FeatureInputs) -> DataFrame:
    return inputs.documents.where(F.col("split").isin(*LEARNED_FROM))
