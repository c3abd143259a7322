"""Numbers the rows of a user's table, and refuses those that repeat a key."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.tables.conversion import PROBLEM, RAW
from cqa_spark.lake.table import Table

NUMBER = "_number"
"""Column with the number of a row, which identifies it in the quarantine."""


def numbered(rows: DataFrame, table: Table) -> DataFrame:
    """Refuse all but the first of rows with one key, by the rows' texts, and number all rows.

    Args:
        rows: as ``converted`` returns them.
        table: the declaration.

    Returns:
        The rows with ``NUMBER``, which is not the same when they are computed again: persist them.
    """
    of_key = Window.partitionBy(*table.key, F.col(PROBLEM).isNull()).orderBy(RAW)
    repeats = F.col(PROBLEM).isNull() & (F.row_number().over(of_key) > 1)
    repeated = F.concat(F.lit("another row has the same "), F.lit(", ".join(table.key)))
    with_problem = rows.withColumn(PROBLEM, F.when(repeats, repeated).otherwise(F.col(PROBLEM)))
    return with_problem.withColumn(NUMBER, F.monotonically_increasing_id())
