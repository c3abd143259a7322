"""What a group learns and is small by its declaration: computed once, not again wherever it is joined."""

from __future__ import annotations

from pyspark.sql import DataFrame


def materialize(table: DataFrame) -> DataFrame:
    """The same rows, by way of the driver.

    Args:
        table: has a number of rows that does not grow with the corpus, such as the slots of a group.
    """
    return table.sparkSession.createDataFrame(table.collect(), table.schema)
