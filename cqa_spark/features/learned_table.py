"""A fitted group whose knowledge is one table, such as counts per author."""

from __future__ import annotations

from typing import Self

from pyspark.sql import DataFrame

from cqa_spark.features.group import FittedTableGroup
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

_LEARNED = "learned"


class LearnedTableGroup(FittedTableGroup):
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

    def save(self, folder: NewModelFolder) -> None:
        """Write the table."""
        folder.write_table(_LEARNED, self.learned)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the table."""
        return cls(folder.read_table(_LEARNED))
