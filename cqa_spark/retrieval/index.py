"""Builds the index of a site's questions, a shard at a time."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.lake.schemas.retrieval import INDEX_SHARDS
from cqa_spark.retrieval.shard import as_vectors, build_shard, from_row, to_row
from cqa_spark.text.encoders.model import EmbeddingModel
from cqa_spark.text.markup import parse_body

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


def index_shards(
    questions: DataFrame, size: int, *, prefix: str = "", model: EmbeddingModel | None = None
) -> DataFrame:
    """Index questions, those of a site in shards of about the same size.

    Args:
        questions: site, post_id, asked, title, text and vector, as ``questions.questions`` gives them.
        size: questions that a shard has at most, about.
        prefix: of the names of the shards, which start with it and end in their number.
        model: of the vectors; None without them.

    Returns:
        Rows of ``INDEX_SHARDS``.
    """
    shards = questions.groupBy("site").agg(F.ceil(F.count("*") / size).alias("shards"))
    number = F.pmod(F.xxhash64("site", "post_id"), "shards").cast("string")
    placed = questions.join(F.broadcast(shards), "site")
    named = placed.select(*questions.columns, F.concat(F.lit(prefix), number).alias("shard"))
    partitions = int(str(questions.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    together = named.repartition(partitions, "site", "shard").sortWithinPartitions("site", "shard")
    built = together.mapInArrow(_build, INDEX_SHARDS.schema)
    of_model = {"model": model and model.name, "model_version": model and model.version}
    return INDEX_SHARDS.conform(
        built.withColumns({name: F.lit(value).cast("string") for name, value in of_model.items()})
    )


def without_questions(shards: DataFrame, gone: DataFrame) -> DataFrame:
    """Shards as if some questions had never been in them.

    Args:
        shards: rows of ``INDEX_SHARDS``.
        gone: the questions: site and post_id.
    """
    of_shard = ["site", "shard"]
    indexed = shards.select(*of_shard, F.explode("ids").alias("post_id"))
    named = indexed.join(gone, ["site", "post_id"], "left_semi").groupBy(*of_shard)
    both = shards.join(named.agg(F.collect_list("post_id").alias("gone")), of_shard, "left")
    return INDEX_SHARDS.conform(both.mapInArrow(_drop, INDEX_SHARDS.schema))


def _drop(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = to_arrow_schema(INDEX_SHARDS.schema)
    for batch in batches:
        for number in range(batch.num_rows):
            row = {name: batch.column(name)[number] for name in batch.schema.names}
            shard = from_row(row, row["gone"].values if row["gone"].is_valid else pa.array([], pa.string()))
            rest = shard.without(shard.deleted)
            if len(rest.ids):
                given = {name: row[name].as_py() for name in ("site", "shard", "model", "model_version")}
                stored = to_row(rest, given["site"], given["shard"])
                yield pa.RecordBatch.from_pylist([given | stored], schema=schema)


def _build(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = to_arrow_schema(INDEX_SHARDS.schema)
    for (site, shard), rows in _by_shard(batches):
        ids, times, titles, texts, vectors = (
            rows.column(name).combine_chunks() for name in ("post_id", "asked", "title", "text", "vector")
        )
        built = build_shard(ids, times, titles, texts, as_vectors(vectors))
        yield pa.RecordBatch.from_pylist([to_row(built, site, shard)], schema=schema)


def _by_shard(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[tuple[str, str], pa.Table]]:
    """The rows of each shard, which are consecutive."""
    held: list[pa.RecordBatch] = []
    key: tuple[str, str] | None = None
    for batch in batches:
        for part_key, part in _parts(batch):
            if key is not None and part_key != key:
                yield key, pa.Table.from_batches(held)
                held = []
            key = part_key
            held.append(part)
    if key is not None:
        yield key, pa.Table.from_batches(held)


def _parts(batch: pa.RecordBatch) -> Iterator[tuple[tuple[str, str], pa.RecordBatch]]:
    """Runs of rows with one site and shard."""
    keys: list[Any] = list(zip(batch.column("site").to_pylist(), batch.column("shard").to_pylist(), strict=True))
    starts = [row for row, key in enumerate(keys) if row == 0 or key != keys[row - 1]]
    for start, end in pairwise([*starts, len(keys)]):
        yield keys[start], batch.slice(start, end - start)
