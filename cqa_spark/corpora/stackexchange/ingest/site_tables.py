"""The tables of a run that reads some sites of a lake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.publishing import Snapshot, published_run
from cqa_spark.lake.run import Run
from cqa_spark.lake.table import Table
from cqa_spark.lake.written import SetAside


@dataclass(frozen=True)
class SiteTables:
    """The tables of a run that reads some sites and keeps the published rows of the others.

    Attributes:
        run: the run.
        last: the published run; None before the first publication.
        sites: the sites that the run reads.
    """

    run: Run
    last: Snapshot | None
    sites: list[str]

    @classmethod
    def of_run(cls, run: Run, sites: list[str]) -> SiteTables:
        """The tables of a run that starts from the published run."""
        record = published_run(run.lake)
        return cls(run, Snapshot(run.lake, record) if record is not None else None, sites)

    @property
    def base(self) -> Mapping[str, int]:
        """Versions of the published tables."""
        return self.last.record.table_versions if self.last is not None else {}

    def write(self, table: Table, frame: DataFrame, *, rebalance: bool = True) -> int:
        """Replace the rows of the sites in the run's table, else in the published one; return the number of rows.

        Args:
            table: the table.
            frame: the rows.
            rebalance: as for ``Run.replace``.
        """
        return self.run.replace(table, frame, sites=self.sites, base=self._base_of(table), rebalance=rebalance).rows

    def set_aside(self, table: Table, frame: DataFrame) -> SetAside:
        """Write rows of the sites to files, to be read and committed."""
        return self.run.lake.set_aside(table, frame)

    def commit(self, table: Table, rows: SetAside) -> None:
        """Replace the rows of the sites by those that were set aside."""
        self.run.commit(table, rows, sites=self.sites, base=self._base_of(table))

    def add(self, table: Table, frame: DataFrame) -> None:
        """Add rows to the run's table, else to the published rows of other sites."""
        if self.has(table):
            self.run.append(table, frame)
        else:
            self.write(table, frame)

    def write_entries(self, table: JournalTable, entries: Iterable[Entry]) -> int:
        """Write the entries of the sites and the published ones of other sites; return the number of the former."""
        own = list(entries)
        published = self.last.entries_or_none(table) if self.last is not None else []
        others = [entry for entry in published if entry["site"] not in self.sites]
        self.run.write_entries(table, [*others, *own])
        return len(own)

    def published_entries(self, table: JournalTable) -> list[Entry]:
        """The published entries of the sites."""
        published = self.last.entries_or_none(table) if self.last is not None else []
        return [entry for entry in published if entry["site"] in self.sites]

    def stored(self, tables: Iterable[Table]) -> dict[str, DataFrame]:
        """The rows of the sites by table name, for those of the tables that the run has."""
        return {table.name: self.of_sites(table) for table in tables if self.has(table)}

    def of(self, sites: Iterable[str]) -> SiteTables:
        """The tables for some of the sites."""
        return replace(self, sites=sorted(sites))

    def of_sites(self, table: Table) -> DataFrame:
        """The run's rows of the sites."""
        return self.run.read(table).where(F.col("site").isin(self.sites))

    def published(self, table: Table) -> DataFrame:
        """The published rows of the sites."""
        return self.published_of_all(table).where(F.col("site").isin(self.sites))

    def published_of_all(self, table: Table) -> DataFrame:
        """The published rows of all sites."""
        return self.last.read(table) if self.last is not None and self.last.has(table) else self.empty(table)

    def has(self, table: Table) -> bool:
        """Whether the run has a version of the table."""
        return self.run.has(table)

    def stay(self, tables: Iterable[Table]) -> bool:
        """Whether all these tables have the same version in the run and the published run."""
        versions = self.run.record.table_versions
        return all(versions.get(table.name) == self.base.get(table.name) for table in tables)

    def keep_others(self, tables: Iterable[Table]) -> None:
        """Keep the published version of tables that the run does not write."""
        for table in tables:
            if not self.has(table) and table.name in self.base:
                self.run.adopt(table, self.base[table.name])

    def _base_of(self, table: Table) -> int | None:
        return self.run.record.table_versions.get(table.name, self.base.get(table.name))

    def empty(self, table: Table) -> DataFrame:
        """An empty DataFrame with the schema of the table."""
        return table.empty(self.run.lake.spark)
