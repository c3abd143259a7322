"""Adds the words of queries and candidates as columns, for rankers that use texts."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.lake.schemas.examples import QUERY_POST

QUERY_WORDS, CANDIDATE_WORDS = WORD_COLUMNS = ("query_words", "candidate_words")
"""Arrays of strings in text order; empty without a text."""


def with_words(examples: DataFrame, documents: DataFrame, texts: DataFrame) -> DataFrame:
    """Add ``WORD_COLUMNS``: the content words of the query (subject and body) and of the candidate.

    Args:
        examples: rows of the table ``examples``.
        documents: the table ``documents``.
        texts: the table ``texts``.
    """
    asked = examples.withColumn("query_post_id", F.expr(QUERY_POST))

    def words_of(key: str, name: str) -> DataFrame:
        # An inner join lets Spark broadcast the examples if they are few.
        wanted = asked.select("site", F.col(key).alias("document_id")).distinct()
        texts_of = wanted.join(documents.select("site", "document_id", "text_id"), on=["site", "document_id"])
        found = texts_of.join(texts.select("text_id", "content_words"), on="text_id")
        return found.select("site", F.col("document_id").alias(key), F.col("content_words").alias(name))

    with_query = asked.join(words_of("query_post_id", QUERY_WORDS), on=["site", "query_post_id"], how="left")
    joined = with_query.join(words_of("candidate_id", CANDIDATE_WORDS), on=["site", "candidate_id"], how="left")
    words = [F.coalesce(name, F.array().cast("array<string>")).alias(name) for name in WORD_COLUMNS]
    return joined.select(*examples.columns, *words)


def require_words(frame: DataFrame, ranker: str) -> None:
    """Check that a DataFrame has the word columns.

    Raises:
        ContractError: a column is missing.
    """
    absent = [name for name in WORD_COLUMNS if name not in frame.columns]
    if absent:
        raise ContractError(
            f"the ranker {ranker} reads texts, and the examples have no {', '.join(absent)}",
            "add them with cqa_spark.rankers.pair_words.with_words",
        )
