"""The words of queries and candidates, for rankers that use texts: as columns, and as numbers."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
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


Numbers = NDArray[np.int64]


def word_numbers(words: pa.ChunkedArray, vocabulary: pa.Array, most: int) -> list[Numbers]:
    """The numbers of the words of each text; words outside the vocabulary are omitted.

    Args:
        words: a list of strings for each text.
        vocabulary: the words, numbered from 0.
        most: maximum number of words of a text.
    """
    texts = words.combine_chunks()
    numbers = pc.index_in(pc.list_flatten(texts), value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int64)
    ends = np.cumsum(pc.list_value_length(texts).to_numpy())
    return [found[found >= 0][:most] for found in np.split(numbers, ends[:-1])] if len(texts) else []
