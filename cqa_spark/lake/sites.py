"""Which sites a table has rows of."""

from __future__ import annotations

from pyspark.sql import DataFrame


def sites_of(frame: DataFrame | None) -> set[str]:
    """The sites that a table has rows of; none where there is no table."""
    return set() if frame is None else {row["site"] for row in frame.select("site").distinct().collect()}
