"""Pairs of questions and answers, with asker, answerer, times and cut."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs


def known_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs of the examples, with authors and times.

    Args:
        inputs: the tables; only the examples are read.

    Returns:
        site, query_id, candidate_id, thread_id, asker_id and author_id (null where unknown), asked_at, answered_at and
        cut (timestamps; null where unknown).
    """
    return inputs.examples.select(
        "site", "query_id", "candidate_id", "thread_id", "asker_id", "author_id", "asked_at", "answered_at",
        F.expr(inputs.cut.sql).alias("cut"),
    )  # fmt: skip


def dated_pairs(inputs: FeatureInputs) -> DataFrame:
    """The pairs whose cut is known; others have no as-of values."""
    return known_pairs(inputs).where(F.col("cut").isNotNull())
