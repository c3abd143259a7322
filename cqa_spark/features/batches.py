"""Features that need Python: whole Arrow batches of pairs in, one double per feature out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

Values = Sequence[float | None]


def compute_in_batches(
    pairs: DataFrame, key: Sequence[str], columns: Sequence[str], values: Callable[[pa.RecordBatch], Iterable[Values]]
) -> DataFrame:
    """Compute features from rows that are handed to Python a batch at a time.

    Args:
        pairs: the key, strings, and what ``values`` reads.
        key: columns that identify a row.
        columns: names of the features.
        values: from a batch to the features of each of its rows, in the order of ``columns``; runs on the workers.

    Returns:
        The key and a double for every feature, one row per row of ``pairs``.
    """
    schema = T.StructType(
        [
            *[T.StructField(name, T.StringType(), False) for name in key],
            *[T.StructField(name, T.DoubleType()) for name in columns],
        ]
    )

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for batch in batches:
            by_column = zip(*values(batch), strict=True) if batch.num_rows else ([] for _ in columns)
            found = [pa.array(column, pa.float64()) for column in by_column]
            yield pa.RecordBatch.from_arrays([*map(batch.column, key), *found], schema=arrow_schema)

    return pairs.mapInArrow(compute, schema)
