"""Collecting rows with binary values, such as what a single task learned from all rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame

Learn = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def arrow_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """Collect rows by Arrow, which copies binary values. `DataFrame.collect` pickles their bytes one by one.

    Args:
        frame: without nulls in columns of numbers, which pandas would make floats.

    Returns:
        The values by column; arrays are NumPy arrays.
    """
    return cast("list[dict[str, Any]]", frame.toPandas().to_dict("records"))


def learn_in_one_task(rows: DataFrame, order: Sequence[str], learn: Learn, schema: str) -> list[dict[str, Any]]:
    """Pass all rows, in order, to a function in one task, so that the result does not depend on the partitioning.

    Args:
        rows: the rows.
        order: columns to sort by.
        learn: maps batches of the rows to batches of the result. Spark runs no task for an empty DataFrame, so the
            function then runs here, without batches.
        schema: schema of the result.

    Returns:
        As ``arrow_rows``.
    """
    learned = rows.repartition(1).sortWithinPartitions(*order).mapInArrow(learn, schema)
    return arrow_rows(learned) or [row for batch in learn(()) for row in batch.to_pylist()]
