"""Puts what is known of the texts of a query and of a candidate beside the pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs

SIDES = ("query", "subject", "candidate", "candidate_subject")
"""The texts of a pair: both whole, and both subjects alone; a comment has no subject."""


def pair_texts(
    pairs: DataFrame,
    inputs: FeatureInputs,
    describe: Callable[[DataFrame], DataFrame],
    sides: Sequence[str] = ("query", "subject", "candidate"),
) -> DataFrame:
    """Join what is wanted of the texts of each pair.

    Args:
        pairs: rows with ``site``, ``query_id`` and ``candidate_id``.
        inputs: the tables.
        describe: from rows of the table ``texts`` to what is wanted of them, keyed by ``text_id``. It only meets the
            texts that the pairs speak of, each once a side.
        sides: which of ``SIDES`` are wanted; each costs a pass over the texts.

    Returns:
        The pairs, with a column for every side, a struct of what ``describe`` gave; null where it gave nothing or
        there is no such text.
    """
    named = _with_text_ids(pairs, inputs.documents)
    joined = named
    for side in sides:
        wanted = named.select(F.col(side).alias("text_id"))
        described = describe(inputs.texts.join(wanted, on="text_id", how="left_semi"))
        found = [name for name in described.columns if name != "text_id"]
        by_side = described.select(F.col("text_id").alias(side), F.struct(*found).alias(f"{side}_text"))
        joined = joined.join(by_side, on=side, how="left")
    return joined.select(*pairs.columns, *[F.col(f"{side}_text").alias(side) for side in sides])


def _with_text_ids(pairs: DataFrame, documents: DataFrame) -> DataFrame:
    queries = documents.select(
        "site",
        F.col("document_id").alias("query_id"),
        F.col("text_id").alias("query"),
        F.col("subject_text_id").alias("subject"),
    )
    candidates = documents.select(
        "site",
        F.col("document_id").alias("candidate_id"),
        F.col("text_id").alias("candidate"),
        F.col("subject_text_id").alias("candidate_subject"),
    )
    with_query = pairs.join(queries, on=["site", "query_id"], how="left")
    return with_query.join(candidates, on=["site", "candidate_id"], how="left")
