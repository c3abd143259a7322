"""The tables of one run and their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry, JournalTable, read_entries
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import NO_FILES, TableFiles


class RunTables(ABC):
    """Read access to the tables of an active or finished run.

    Attributes:
        lake: the lake of the run.
        record: the state of the run.
    """

    lake: Lake
    record: RunRecord

    @property
    @abstractmethod
    def tables(self) -> Mapping[str, TableFiles]:
        """The files of each table, by its name."""

    @property
    @abstractmethod
    def entry_files(self) -> Mapping[str, str]:
        """The file of each journal table, by its name; relative to the lake."""

    @abstractmethod
    def _lacks(self, table: Table | JournalTable) -> InputError:
        """The error of reading a table that the run does not have."""

    @abstractmethod
    def _require_declared(self, name: str) -> None:
        """Check that the reader of this run may read a product."""

    def read(self, table: Table) -> DataFrame:
        """The run's rows of a table.

        Raises:
            InputError: the run does not have the table.
        """
        return self.lake.read(table, self.files(table))

    def files(self, table: Table) -> TableFiles:
        """The run's files of a table, with their row and null counts.

        Raises:
            InputError: the run does not have the table.
        """
        self._require_declared(table.name)
        if table.name not in self.tables:
            raise self._lacks(table)
        return self.tables[table.name]

    def files_or_none(self, table: Table) -> TableFiles:
        """The run's files of a table; none if it does not have the table."""
        return self.files(table) if self.has(table) else NO_FILES

    def artifact(self, name: str) -> str | None:
        """The path of a model, report or prediction file; None if the run does not have it."""
        self._require_declared(name)
        return self.record.artifacts.get(name)

    def entries(self, table: JournalTable) -> list[Entry]:
        """The run's entries of a journal table.

        Raises:
            InputError: the run does not have the table.
        """
        self._require_declared(table.name)
        if table.name not in self.entry_files:
            raise self._lacks(table)
        return read_entries(self.lake.objects, table, self.entry_files[table.name])

    def entries_or_none(self, table: JournalTable) -> list[Entry]:
        """The run's entries of a journal table; empty if it did not write the table."""
        return self.entries(table) if self.has(table) else []

    def rows(self, table: Table) -> int:
        """The number of the run's rows of a table, as counted when they were written."""
        return self.files(table).rows

    def stored_columns(self, table: Table) -> tuple[str, ...]:
        """The names of the stored columns of the run's rows."""
        return self.files(table).columns

    def has(self, table: Table | JournalTable) -> bool:
        """Whether the run has the table."""
        self._require_declared(table.name)
        return table.name in self.tables or table.name in self.entry_files

    def changed_sites(self, tables: Iterable[Table], since: RunTables) -> set[str]:
        """The sites whose rows of some tables differ between two runs, by their fingerprints.

        Args:
            tables: divided by site.
            since: the other run.
        """
        changed: set[str] = set()
        for table in tables:
            now, before = (run.files_or_none(table) for run in (self, since))
            changed |= {site for site in now.sites | before.sites if now.fingerprint(site) != before.fingerprint(site)}
        return changed

    def present(self, tables: Iterable[Table]) -> dict[str, DataFrame]:
        """The run's rows of the tables that it has, by name."""
        return {table.name: self.read(table) for table in tables if self.has(table)}
