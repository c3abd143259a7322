"""Puts what is known of the texts of a query and of a candidate beside the pair."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureInputs

_SIDES = ("query", "subject", "candidate")


def pair_texts(pairs: DataFrame, inputs: FeatureInputs, describe: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """Join what is wanted of the three texts of each pair: the query, its subject alone, and the candidate.

    Args:
        pairs: rows with ``site``, ``query_id`` and ``candidate_id``.
        inputs: the tables.
        describe: from rows of the table ``texts`` to what is wanted of them, keyed by ``text_id``. It only meets the
            texts that the pairs speak of, each once a side.

    Returns:
        The pairs, with the columns ``query``, ``subject`` and ``candidate``, each a struct of what ``describe`` gave;
        null where it gave nothing or there is no such text.
    """
    named = _with_text_ids(pairs, inputs.documents)
    joined = named
    for side in _SIDES:
        wanted = named.select(F.col(side).alias("text_id"))
        described = describe(inputs.texts.join(wanted, on="text_id", how="left_semi"))
        found = [name for name in described.columns if name != "text_id"]
        by_side = described.select(F.col("text_id").alias(side), F.struct(*found).alias(f"{side}_text"))
        joined = joined.join(by_side, on=side, how="left")
    return joined.select(*pairs.columns, *[F.col(f"{side}_text").alias(side) for side in _SIDES])


def _with_text_ids(pairs: DataFrame, documents: DataFrame) -> DataFrame:
    queries = documents.select(
        "site",
        F.col("document_id").alias("query_id"),
        F.col("text_id").alias("query"),
        F.col("subject_text_id").alias("subject"),
    )
    candidates = documents.select(
        "site", F.col("document_id").alias("candidate_id"), F.col("text_id").alias("candidate")
    )
    with_query = pairs.join(queries, on=["site", "query_id"], how="left")
    return with_query.join(candidates, on=["site", "candidate_id"], how="left")
