"""A fitted group whose knowledge is one table, such as counts per author."""

from __future__ import annotations

from typing import Self

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.features.group import FittedFeatureGroup


class LearnedTableGroup(FittedFeatureGroup):
    """Base of groups that learn a table; it is saved as Parquet.

    Args:
        learned: the table; None before the group is fitted.
    """

    def __init__(self, learned: DataFrame | None = None) -> None:
        self._learned = learned

    @property
    def learned(self) -> DataFrame:
        """The table that ``fit`` made.

        Raises:
            ContractError: the group is not fitted.
        """
        return self.require_fitted(self._learned)

    def save(self, path: str) -> None:
        """Write the table."""
        self.learned.write.parquet(f"{path}/learned")

    @classmethod
    def load(cls, path: str) -> Self:
        """Read the table."""
        return cls(SparkSession.active().read.parquet(f"{path}/learned"))
