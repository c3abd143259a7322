"""The tables of one run and their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from pyspark.sql import DataFrame

from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.run_table import read_run_table
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import RunTable, Table
from cqa_spark.lake.table_state import NO_FILES, TableState


class RunTables(ABC):
    """Read access to the tables of an active or finished run.

    Attributes:
        lake: the lake of the run.
        record: has the version of every table that the run wrote.
    """

    lake: Lake
    record: RunRecord

    @abstractmethod
    def read(self, table: Table) -> DataFrame:
        """The run's rows of a table."""

    @abstractmethod
    def entries(self, table: JournalTable) -> list[Entry]:
        """The run's entries of a journal table."""

    @abstractmethod
    def state(self, table: Table) -> TableState:
        """The files of the run's version of a table, with their row and null counts."""

    def rows(self, table: Table) -> int:
        """The number of the run's rows of a table, as counted when they were written."""
        return self.state(table).rows

    def stored_columns(self, table: Table) -> list[str]:
        """The column names of the run's version of a table."""
        return self.state(table).schema.names

    def has(self, table: Table | JournalTable) -> bool:
        """Whether the run has the table."""
        return table.name in self.record.table_versions

    def shares(self, table: Table, other: RunTables) -> bool:
        """Whether both runs have the same version of the table."""
        version = self.record.table_versions.get(table.name)
        return version is not None and version == other.record.table_versions.get(table.name)

    def changed_sites(self, tables: Iterable[Table], since: RunTables) -> set[str]:
        """The sites whose files of some tables differ between two runs.

        Args:
            tables: laid out by site.
            since: the other run.
        """
        changed: set[str] = set()
        for table in tables:
            now, before = (run.state(table) if run.has(table) else NO_FILES for run in (self, since))
            changed |= now.changed_sites(before)
        return changed

    def present(self, tables: Iterable[Table]) -> dict[str, DataFrame]:
        """The run's rows of the tables that it has, by name."""
        return {table.name: self.read(table) for table in tables if self.has(table)}

    def _stored(self, table: Table, version: int) -> DataFrame:
        """The rows of a stored version of a table."""
        if isinstance(table, RunTable):
            return read_run_table(self.lake, table, run_id=self.record.run_id, attempt=version)
        return self.lake.read(table, version)

    def entries_or_none(self, table: JournalTable) -> list[Entry]:
        """The run's entries of a journal table; empty if it did not write the table."""
        return self.entries(table) if self.has(table) else []
