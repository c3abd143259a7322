"""The sites in a table."""

from __future__ import annotations

from pyspark.sql import DataFrame


def sites_of(frame: DataFrame | None) -> set[str]:
    """The sites in a table; none if the table does not exist."""
    return set() if frame is None else {row["site"] for row in frame.select("site").distinct().collect()}
