"""Keeps DataFrames that are read several times in memory, and releases them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame


@contextmanager
def persisted(*frames: DataFrame) -> Iterator[None]:
    """Persist DataFrames while the block runs; each is computed when it is first read."""
    for frame in frames:
        frame.persist()
    try:
        yield
    finally:
        for frame in frames:
            frame.unpersist()
