"""Builds the index of the questions of sites, in shards, and takes erased questions out of it."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.retrieval import INDEX_SHARDS
from cqa_spark.retrieval.shard import as_vectors, build_shard, from_row, to_row
from cqa_spark.spark.frames import runs, whole_groups
from cqa_spark.spark.internals import to_arrow_schema
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
    rows = posts.where(F.col("post_type") == "question").select(
        "site",
        "post_id",
        F.unix_micros("created_at").alias("asked"),
        F.col("post_type_id").isNotNull().alias("is_html"),
        "subject",
        "body",
    )

    def read_texts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            is_html, subjects, bodies = (batch.column(name).to_pylist() for name in ("is_html", "subject", "body"))
            texts = [
                question_text(subject, body, is_html=html)
                for html, subject, body in zip(is_html, subjects, bodies, strict=True)
            ]
            copied = [batch.column(name) for name in ("site", "post_id", "asked", "subject")]
            names = ["site", "post_id", "asked", "title", "text"]
            yield pa.RecordBatch.from_arrays([*copied, pa.array(texts, pa.string())], names=names)

    return rows.mapInArrow(read_texts, _COLUMNS).withColumn("vector", F.lit(None).cast("array<float>"))


def question_text(subject: str | None, body: str | None, *, is_html: bool) -> str:
    """The indexed text of a question.

    Args:
        subject: its title.
        body: its body.
        is_html: whether the body is HTML.
    """
    prose = parse_body(body).prose if is_html and body else body or ""
    return f"{subject or ''}\n{prose}"


def with_vectors(questions: DataFrame, documents: DataFrame, embeddings: DataFrame) -> DataFrame:
    """Add the embeddings of the texts of questions.

    Args:
        questions: rows that ``questions`` returned.
        documents: the table ``documents``.
        embeddings: rows of the table ``embeddings`` of one model.
    """
    texts = documents.select("site", F.col("document_id").alias("post_id"), "text_id")
    vectors = texts.join(embeddings.select("text_id", "vector"), "text_id").drop("text_id")
    return questions.drop("vector").join(vectors, ["site", "post_id"], "left")


def index_shards(
    questions: DataFrame, size: int, *, prefix: str = "", model: EmbeddingModel | None = None
) -> DataFrame:
    """Index questions, in shards of about the same size within a site.

    Args:
        questions: site, post_id, asked, title, text and vector, as ``questions`` returns them.
        size: maximum number of questions of a shard, about.
        prefix: start of the names of the shards, which end in their number.
        model: the model of the vectors; None without vectors.

    Returns:
        Rows of ``INDEX_SHARDS``.
    """
    # Every shard of a site has about the same number of questions, because they are assigned by a hash.
    shards = questions.groupBy("site").agg(F.ceil(F.count("*") / size).alias("shards"))
    number = F.pmod(F.xxhash64("site", "post_id"), "shards").cast("string")
    numbered = questions.join(F.broadcast(shards), "site")
    named = numbered.select(*questions.columns, F.concat(F.lit(prefix), number).alias("shard"))
    partitions = int(str(questions.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    rows = named.repartition(partitions, "site", "shard").sortWithinPartitions("site", "shard")

    def build(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = to_arrow_schema(INDEX_SHARDS.schema)
        shards = (
            (site, shard, table)
            for rows in whole_groups(batches, "site", "shard", at_a_time=1)
            for site, of_site in runs(rows, "site")
            for shard, table in runs(of_site, "shard")
        )
        for site, shard, table in shards:
            ids, times, titles, texts, vectors = (
                table.column(name).combine_chunks() for name in ("post_id", "asked", "title", "text", "vector")
            )
            built = build_shard(ids, times, titles, texts, as_vectors(vectors))
            yield pa.RecordBatch.from_pylist([to_row(built, site, shard)], schema=schema)

    name, version = (None, None) if model is None else (model.name, model.version)
    columns = {"model": F.lit(name).cast("string"), "model_version": F.lit(version).cast("string")}
    return INDEX_SHARDS.conform(rows.mapInArrow(build, INDEX_SHARDS.schema).withColumns(columns))


def without_questions(shards: DataFrame, erased: DataFrame) -> DataFrame:
    """Shards as if some questions had never been in them.

    Args:
        shards: rows of ``INDEX_SHARDS``.
        erased: the questions: site and post_id.
    """
    key = ["site", "shard"]
    indexed = shards.select(*key, F.explode("ids").alias("post_id"))
    by_shard = indexed.join(erased, ["site", "post_id"], "left_semi").groupBy(*key)
    with_erased = shards.join(by_shard.agg(F.collect_list("post_id").alias("erased")), key, "left")

    def erase(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = to_arrow_schema(INDEX_SHARDS.schema)
        for batch in batches:
            for number in range(batch.num_rows):
                row = {name: batch.column(name)[number] for name in batch.schema.names}
                erased_ids = row["erased"].values if row["erased"].is_valid else pa.array([], pa.string())
                shard = from_row(row, erased_ids)
                remaining = shard.without(shard.deleted)  # the questions that the row was opened without
                if len(remaining.ids):
                    unchanged = {name: row[name].as_py() for name in ("site", "shard", "model", "model_version")}
                    stored = to_row(remaining, unchanged["site"], unchanged["shard"])
                    yield pa.RecordBatch.from_pylist([unchanged | stored], schema=schema)

    return INDEX_SHARDS.conform(with_erased.mapInArrow(erase, INDEX_SHARDS.schema))
