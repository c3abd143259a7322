"""The check that nothing was lost while reading."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError

SHOWN_FILES = 20


class Totals(NamedTuple):
    """Records over all files."""

    rows_in: int
    rows_out: int
    rows_quarantined: int


def check_accounting(ingested_files: DataFrame) -> Totals:
    """Check that in every file rows in = rows out + rows quarantined, and add up over the files.

    Args:
        ingested_files: a frame of the schema ``INGESTED_FILES``.

    Raises:
        ContractError: the sum does not hold; the files are named.
    """
    wrong = ingested_files.where(F.col("rows_in") != F.col("rows_out") + F.col("rows_quarantined"))
    rows = wrong.orderBy("source_file").limit(SHOWN_FILES).collect()
    if rows:
        lines = [
            f"{row.source_file}: {row.rows_in} in, {row.rows_out} out, {row.rows_quarantined} quarantined"
            for row in rows
        ]
        raise ContractError(
            "records were lost or made up while reading: " + "; ".join(lines),
            "keep the file and report it: the reader does not understand its layout",
        )
    sums = ingested_files.agg(*[F.coalesce(F.sum(name), F.lit(0)) for name in Totals._fields]).head()
    assert sums is not None
    return Totals(*sums)
