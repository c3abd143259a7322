"""The questions of a site, for indexing and as queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.text.markup.body import parse_body

_COLUMNS = "site string, post_id string, asked bigint, title string, text string"


def questions(posts: DataFrame) -> DataFrame:
    """The title and the prose of every question, without code blocks and quotes.

    Args:
        posts: the table ``posts``.

    Returns:
        site, post_id, asked (microseconds since 1970; null where unknown), title, text, vector (null).
    """
    asked = posts.where(F.col("post_type") == "question").select(
        "site", "post_id", F.unix_micros("created_at").alias("asked"),
        F.col("post_type_id").isNotNull().alias("is_html"), "subject", "body",
    )  # fmt: skip
    return asked.mapInArrow(_with_text, _COLUMNS).withColumn("vector", F.lit(None).cast("array<float>"))


def with_vectors(asked: DataFrame, documents: DataFrame, embeddings: DataFrame) -> DataFrame:
    """Questions with the embeddings of their texts.

    Args:
        asked: as ``questions`` gives them.
        documents: the table ``documents``.
        embeddings: rows of the table ``embeddings`` of one model.
    """
    texts = documents.select("site", F.col("document_id").alias("post_id"), "text_id")
    vectors = texts.join(embeddings.select("text_id", "vector"), "text_id").drop("text_id")
    return asked.drop("vector").join(vectors, ["site", "post_id"], "left")


def _with_text(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("is_html", "subject", "body"))
        texts = [question_text(subject, body, is_html=is_html) for is_html, subject, body in zip(*columns, strict=True)]
        copied = [batch.column(name) for name in ("site", "post_id", "asked", "subject")]
        yield pa.RecordBatch.from_arrays(
            [*copied, pa.array(texts, pa.string())], names=["site", "post_id", "asked", "title", "text"]
        )


def question_text(subject: str | None, body: str | None, *, is_html: bool) -> str:
    """The indexed text of a question.

    Args:
        subject: its title.
        body: its body.
        is_html: whether the body is HTML.
    """
    prose = parse_body(body).prose if is_html and body else body or ""
    return f"{subject or ''}\n{prose}"
