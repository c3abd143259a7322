"""Reads the tables of finished runs: of any run that succeeded, and of the published ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry, JournalTable, read_entries
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.manifest import RunManifest, read_manifest
from cqa_spark.lake.pointer import read_pointer
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.lake.table import NO_FILES, Table, TableFiles


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


@dataclass(frozen=True)
class Snapshot(RunTables):
    """The tables of a successful run, or of the published runs of all corpora, as a consistent snapshot.

    Attributes:
        lake: the lake.
        record: the record of the run, the latest of several.
        others: records of the runs of other corpora, whose rows are read, too.
    """

    lake: Lake
    record: RunRecord
    others: tuple[RunRecord, ...] = ()

    @cached_property
    def runs(self) -> tuple[Snapshot, ...]:
        """The snapshot of every run alone."""
        return tuple(Snapshot(self.lake, record) for record in (self.record, *self.others)) if self.others else (self,)

    def of_site(self, site: str) -> Snapshot:
        """The run with a site; the latest if none has it."""
        return next((run for run in self.runs if site in run.record.sites), self.runs[0])

    @cached_property
    def manifest(self) -> RunManifest:
        """The files of the run.

        Raises:
            ContractError: the run was collected.
        """
        return read_manifest(self.lake.objects, self.record)

    @cached_property
    def tables(self) -> Mapping[str, TableFiles]:
        """The files of each table, by its name."""
        manifests = [run.manifest.tables for run in self.runs]
        names = dict.fromkeys(name for tables in manifests for name in tables)
        return {
            name: reduce(TableFiles.united, [tables[name] for tables in manifests if name in tables]) for name in names
        }

    @cached_property
    def entry_files(self) -> Mapping[str, str]:
        """The file of each journal table, by its name; relative to the lake. That of the latest run which has one."""
        return {name: path for run in reversed(self.runs) for name, path in run.manifest.entries.items()}

    def read(self, table: Table) -> DataFrame:
        """The rows of a table; a text that several corpora have is one row.

        Raises:
            InputError: no run has the table.
        """
        rows = super().read(table)
        return rows.dropDuplicates(list(table.key)) if self.others and "site" not in table.partition_by else rows

    def entries(self, table: JournalTable) -> list[Entry]:
        """The entries of a journal table, of all runs.

        Raises:
            InputError: no run has the table.
        """
        if not self.others or not self.has(table):
            return super().entries(table)
        return [entry for run in self.runs for entry in run.entries_or_none(table)]

    def _require_declared(self, name: str) -> None:
        """All products of a finished run may be read."""

    def _lacks(self, table: Table | JournalTable) -> InputError:
        return InputError(
            f"run {self.record.run_id} has no table {table.name}",
            "name a run that wrote it: --run-id; cqa runs show lists the tables of a run",
        )


def published_runs(lake: Lake) -> tuple[RunRecord, ...]:
    """The published run of every corpus, the latest first; none before the first publication."""
    return read_pointer(lake.objects).records


def published_of(lake: Lake, corpus: str) -> Snapshot | None:
    """The published run of a corpus with its tables; None before its first publication."""
    return next((Snapshot(lake, record) for record in published_runs(lake) if record.corpus == corpus), None)


def published_snapshot(lake: Lake) -> Snapshot:
    """The published runs with their tables.

    Raises:
        InputError: nothing is published.
    """
    records = published_runs(lake)
    if not records:
        raise InputError(f"nothing is published in {lake.root}", "publish a run: cqa runs publish RUN_ID")
    return Snapshot(lake, records[0], records[1:])


def snapshot_of(lake: Lake, run_id: str | None) -> Snapshot:
    """A successful run with its tables.

    Args:
        lake: the lake.
        run_id: the run, by its last successful attempt; None for the published ones.

    Raises:
        InputError: there is no such run, or nothing is published.
    """
    if run_id is None:
        return published_snapshot(lake)
    return Snapshot(lake, RunLog(lake.objects).require_success(run_id))
