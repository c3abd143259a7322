"""Rows of a lake as pandas, Arrow or Spark frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from cqa_spark.lake.storage import Lake as Storage

if TYPE_CHECKING:
    import pandas as pd


class Rows(ABC):
    """Rows of a table, convertible to pandas, Arrow or Spark."""

    @abstractmethod
    def to_spark(self) -> DataFrame:
        """The rows as a lazy Spark frame; starts Spark."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """All rows, in memory."""

    def to_pandas(self) -> pd.DataFrame:
        """All rows, in memory."""
        return self.to_arrow().to_pandas()


class SmallRows(Rows):
    """Rows that do not grow with the corpus, read without Spark.

    Args:
        lake: provides the Spark session, if one is needed.
        rows: the values by column.
        schema: their types.
    """

    def __init__(self, lake: Storage, rows: Sequence[dict[str, Any]], schema: pa.Schema) -> None:
        self._lake, self._rows, self._schema = lake, rows, schema

    def to_spark(self) -> DataFrame:
        """The rows as a Spark frame."""
        rows = [tuple(row[name] for name in self._schema.names) for row in self._rows]
        return self._lake.spark.createDataFrame(rows, from_arrow_schema(self._schema))

    def to_arrow(self) -> pa.Table:
        """All rows, in memory."""
        return pa.Table.from_pylist(list(self._rows), schema=self._schema)


class TableRows(Rows):
    """Rows of a table.

    Args:
        frame: reads them.
    """

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame

    def to_spark(self) -> DataFrame:
        """The rows as a Spark frame."""
        return self._frame

    def to_arrow(self) -> pa.Table:
        """All rows, in memory; for a large table, select rows with ``to_spark`` first."""
        return pa.Table.from_pandas(self._frame.toPandas(), to_arrow_schema(self._frame.schema), preserve_index=False)

    def to_pandas(self) -> pd.DataFrame:
        """All rows, in memory; for a large table, select rows with ``to_spark`` first."""
        return self._frame.toPandas()
