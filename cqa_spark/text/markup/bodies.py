"""Parses the HTML bodies of posts in Arrow batches, once per distinct body."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.lake.schemas.text import BODIES
from cqa_spark.text.markup.body import parse_body

LISTS = ("code", "quotes", "links", "images")


def distinct_bodies(posts: DataFrame) -> DataFrame:
    """The distinct HTML bodies of posts: ``body_id`` and ``body``.

    Args:
        posts: the table ``posts``.
    """
    html = posts.where(is_html()).select(_body_id().alias("body_id"), "body")
    return html.dropDuplicates(["body_id"])


def body_parts(bodies: DataFrame) -> DataFrame:
    """Split every body into its parts.

    Args:
        bodies: ``body_id`` and ``body`` (HTML), strings.

    Returns:
        The table ``bodies``; for empty or null bodies, parts are empty, never null.
    """
    return BODIES.conform(bodies.select("body_id", "body").mapInArrow(parse_batches, BODIES.schema))


def with_prose(posts: DataFrame, parts: DataFrame) -> DataFrame:
    """Replace the HTML bodies of posts by their prose.

    Args:
        posts: the table ``posts``.
        parts: the table ``bodies``.
    """
    prose = parts.select("body_id", "prose")
    joined = posts.withColumn("body_id", F.when(is_html(), _body_id())).join(prose, "body_id", "left")
    return joined.select(*[F.coalesce("prose", "body").alias(n) if n == "body" else n for n in posts.columns])


def is_html() -> Column:
    """Whether a row of ``posts`` has an HTML body: true for posts of Stack Exchange, which have a numeric type."""
    return F.col("post_type_id").isNotNull() & F.col("body").isNotNull()


def _body_id() -> Column:
    return F.sha2("body", 256)


def parse_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Split the bodies of batches into their parts.

    Args:
        batches: ``body_id`` and ``body``.

    Yields:
        For each batch, one with the columns of ``BODIES``.
    """
    schema = to_arrow_schema(BODIES.schema)
    for batch in batches:
        parsed = [parse_body(body or "") for body in batch.column("body").to_pylist()]
        columns = [[getattr(one, name) for one in parsed] for name in ("prose", *LISTS)]
        parts = [pa.array(column, field.type) for column, field in zip(columns, list(schema)[1:], strict=True)]
        yield pa.RecordBatch.from_arrays([batch.column("body_id"), *parts], schema=schema)
