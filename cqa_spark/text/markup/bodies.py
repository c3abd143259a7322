"""The parts of all bodies, by Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.text.markup.body import parse_body

LISTS = ("code", "quotes", "links", "images")
BODY_PARTS = T.StructType(
    [
        T.StructField("body_id", T.StringType()),
        T.StructField("text", T.StringType()),
        *[T.StructField(name, T.ArrayType(T.StringType())) for name in LISTS],
    ]
)


def body_parts(bodies: DataFrame) -> DataFrame:
    """Take every body apart.

    Args:
        bodies: ``body_id`` and ``body`` (HTML), strings.

    Returns:
        ``body_id``, ``text`` (string) and ``code``, ``quotes``, ``links``, ``images`` (arrays of strings), as
        ``ParsedBody`` describes them; empty, never null, where the body is empty or null.
    """
    return bodies.select("body_id", "body").mapInArrow(parse_batches, BODY_PARTS)


def parse_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Take the bodies of batches apart.

    Args:
        batches: ``body_id`` and ``body``.

    Yields:
        For each batch, one with the columns of ``BODY_PARTS``.
    """
    schema = to_arrow_schema(BODY_PARTS)
    for batch in batches:
        parsed = [parse_body(body or "") for body in batch.column("body").to_pylist()]
        columns = [[getattr(one, name) for one in parsed] for name in ("text", *LISTS)]
        parts = [pa.array(column, field.type) for column, field in zip(columns, list(schema)[1:], strict=True)]
        yield pa.RecordBatch.from_arrays([batch.column("body_id"), *parts], schema=schema)
