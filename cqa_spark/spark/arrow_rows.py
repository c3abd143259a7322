"""Collecting rows with binary values."""

from __future__ import annotations

from typing import Any, cast

from pyspark.sql import DataFrame


def arrow_rows(frame: DataFrame) -> list[dict[str, Any]]:
    """Collect rows by Arrow, which copies binary values. `DataFrame.collect` pickles their bytes one by one.

    Args:
        frame: without nulls in columns of numbers, which pandas would make floats.

    Returns:
        The values by column; arrays are NumPy arrays.
    """
    return cast("list[dict[str, Any]]", frame.toPandas().to_dict("records"))
