"""An active run: writes files and makes them its tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame

from cqa_spark.lake.declared_products import published_product
from cqa_spark.lake.journal import JournalTable, write_entries
from cqa_spark.lake.manifest import RunManifest, folder_of
from cqa_spark.lake.run_record import IN_LAKE, to_stored
from cqa_spark.lake.run_state import RunState
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.snapshot import published_of
from cqa_spark.lake.storage import TABLES
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import NO_FILES, TableFiles
from cqa_spark.lake.writing import Destination, rebalanced, write_files
from cqa_spark.object_store.store import missing

FEW_SITES = 8
"""Sites up to which writes do not bring the rows of a site together, which takes a shuffle."""


class Run(RunState):
    """One execution of a job; created by ``cqa_spark.lake.run_lifecycle.open_run``.

    Its files are new, and no reader sees them until the run is published. Several threads may write tables, add
    artifacts and finish steps concurrently.
    """

    def published(self, table: Table) -> TableFiles:
        """The published files of a table of the run's corpus; none if it is not published."""
        self._require_declared(published_product(table))
        last = published_of(self.lake, self.record.corpus)
        return last.files_or_none(table) if last is not None else NO_FILES

    def delete_unused(self, tables: Iterable[Table]) -> None:
        """Delete files that this attempt has written for tables and that are not in them, before a collection does."""
        self.lake.before_write()
        for table in tables:
            used = {file.path for file in self.files_or_none(table).files}
            own = self.lake.objects.sizes(f"{TABLES}/{table.name}/{self.record.attempt_name}/")
            self.lake.objects.delete_all(sorted(own.keys() - used))

    def write_entries(self, table: JournalTable, entries: Iterable[Mapping[str, Any]]) -> int:
        """Write the entries of a journal table, replacing earlier ones of this attempt; return their number.

        Raises:
            ContractError: an entry does not have the declared columns.
        """
        self._declared.require_output(table.name)
        self.lake.before_write()
        rows, key = list(entries), f"{folder_of(self.record)}/{table.name}.parquet"
        write_entries(self.lake.objects, table, rows, key, run_id=self.run_id)
        self.put_entries(table, key, len(rows))
        return len(rows)

    def new_files(self, table: Table, frame: DataFrame, *, rebalance: bool = False) -> TableFiles:
        """Write rows to new files, which belong to no table until they are ``put`` there.

        Args:
            table: the declaration of the table.
            frame: the rows.
            rebalance: bring the rows of a site together first, so that a small site has one file, instead of one from
                each task.

        Raises:
            ContractError: the frame does not have the declared columns.
        """
        return self.new_files_of([table], frame, rebalance=rebalance)[0]

    def new_files_of(self, tables: Sequence[Table], frame: DataFrame, *, rebalance: bool) -> list[TableFiles]:
        """Write rows of several tables, as ``new_files``, in one job.

        Args:
            tables: the declarations of the tables, which the same columns divide.
            frame: the declared columns of all; for several tables also ``TABLE``.
            rebalance: as for ``new_files``.
        """
        if len(tables) == 1:
            frame = tables[0].conform(frame)
        if rebalance and tables[0].partition_by:
            frame = rebalanced(frame, tables[0].partition_by)
        destinations = [self.destination(table) for table in tables]
        files = write_files(frame, *destinations)
        return [
            TableFiles(
                tuple(each.table.schema.names), tuple(file for file in files if file.path.startswith(f"{each.folder}/"))
            )
            for each in destinations
        ]

    def destination(self, table: Table) -> Destination:
        """A new folder for the files of a table, which belong to no table until they are ``put`` there."""
        self.lake.before_write()
        folder = f"{TABLES}/{table.name}/{self.record.attempt_name}/{uuid4().hex}"
        return Destination(table, self.lake.absolute_path(), folder, self.lake.storage)

    def write(self, table: Table, frame: DataFrame) -> int:
        """Write the table with exactly the frame's rows; return their number."""
        posts = self.tables.get(POSTS.name, NO_FILES)
        many_sites = len(posts.rows_by_site()) > FEW_SITES
        return self.put(table, self.new_files(table, frame, rebalance=many_sites))

    def replace(self, table: Table, frame: DataFrame, *, sites: Collection[str], base: TableFiles) -> int:
        """Write the table with new rows of some sites, and earlier files of others; return the number of new rows.

        Args:
            table: divided by site.
            frame: the new rows.
            sites: whose earlier rows are replaced.
            base: the earlier files.
        """
        new = self.new_files(table, frame, rebalance=len(sites) > FEW_SITES)
        self.put(table, base.without(sites).united(new))
        return new.rows

    def append(self, table: Table, frame: DataFrame) -> None:
        """Add rows to the run's table."""
        self.put_more(table, self.new_files(table, frame))

    def artifact_path(self, *parts: str) -> str:
        """A path for an artifact of this attempt, in the attempt's own folder."""
        return self.lake.path(folder_of(self.record), *parts)

    def manifest(self) -> RunManifest:
        """The files of the run so far, with those of earlier runs that it uses: tables, entries, artifacts.

        Raises:
            ContractError: no file of an artifact or journal table is listed, so that a collection would delete it.
        """
        own = f"{folder_of(self.record)}/"
        artifacts = to_stored(self.record, self.lake.root).artifacts.values()
        used = {path.removeprefix(IN_LAKE) for path in artifacts if path.startswith(IN_LAKE)}
        used |= set(self.entry_files.values())
        sizes = self.lake.objects.sizes(own)
        for path in sorted(path for path in used if not path.startswith(own)):
            below = self.lake.objects.sizes(path)  # of a file, or of the files of a folder
            sizes |= {key: size for key, size in below.items() if key == path or key.startswith(f"{path}/")}
        stored = {*sizes, *(parent.as_posix() for key in sizes for parent in PurePosixPath(key).parents)}
        if absent := sorted(path for path in used if path not in stored):
            raise missing(self.lake.objects.root, absent[0], f"run {self.run_id} uses it", "run the job again")
        return RunManifest(dict(self.tables), dict(self.entry_files), sizes)
