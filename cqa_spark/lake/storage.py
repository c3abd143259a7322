"""Writing of the lake's tables: new versions, and temporary rows.

Tables are in Delta format, and any Delta reader reads them. Spark writes their files, and this package their logs, with
one commit per version. A write takes one query; with Delta's own writer, it takes several.

Source: the protocol of Delta's transaction log.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.log_entries import commit_entries, merged_schema, nullable
from cqa_spark.lake.new_files import NewFiles, move_into, read_new_files, rebalanced, write_new_files
from cqa_spark.lake.reader import LakeReader
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_state import Action, TableState
from cqa_spark.lake.written import SetAside, Written
from cqa_spark.object_store.store import AlreadyThere

CHECKPOINTS = 10
"""Number of versions between checkpoints of a table's log."""


@dataclass(frozen=True)
class Lake(LakeReader):
    """A folder of Delta tables that can be written."""

    def signature(self, author: str) -> str:
        """Commit metadata that identifies the writer.

        Args:
            author: run id.
        """
        return author

    def before_commit(self) -> None:
        """Called before every write to a table; a leased lake checks its lease here."""

    def write(self, table: Table, frame: DataFrame, *, author: str, rebalance: bool = False) -> Written:
        """Write a new version with exactly the frame's rows, partitioned as the table's first version.

        Args:
            table: the declaration of the table.
            frame: the rows.
            author: run id, recorded with the commit to identify the writer.
            rebalance: bring the rows of a site together first, so that a small site has one file, instead of one from
                each task.

        Raises:
            ContractError: the frame does not have the declared columns.
            AnotherWriter: another process wrote the table in the meantime.
        """
        return self.replace(table, frame, sites=(), base=None, author=author, rebalance=rebalance)

    def replace(
        self,
        table: Table,
        frame: DataFrame,
        *,
        sites: Collection[str],
        base: int | None,
        author: str,
        rebalance: bool = False,
    ) -> Written:
        """Write a new version that differs from an earlier one in the rows of some sites.

        Args:
            table: the declaration of the table, which is partitioned by site.
            frame: the new rows.
            sites: sites whose earlier rows are replaced; none to add rows to the earlier ones.
            base: the earlier version; None to keep no earlier rows.
            author: run id, as for ``write``.
            rebalance: as for ``write``.

        Raises:
            ContractError: the frame does not have the declared columns.
            AnotherWriter: another process wrote the table in the meantime.
        """
        self.before_commit()
        rows = self.set_aside(table, frame, rebalance=rebalance)
        return self.commit(table, rows, sites=sites, base=base, author=author)

    def commit(self, table: Table, rows: SetAside, *, sites: Collection[str], base: int | None, author: str) -> Written:
        """Commit rows that were set aside for a table, as ``replace`` does with the rows of a frame.

        Raises:
            AnotherWriter: another process wrote the table in the meantime.
        """
        if base is None or rows.newest is None:
            return self._commit(table, rows.newest, nullable(table.schema), {}, rows.files, author)
        before = self.state(table, base)
        kept = {path: add for path, add in before.added.items() if add["partitionValues"]["site"] not in sites}
        return self._commit(table, rows.newest, merged_schema(before.schema, table.schema), kept, rows.files, author)

    def set_aside(self, table: Table, frame: DataFrame, *, rebalance: bool = False) -> SetAside:
        """Write rows for the current process, partitioned as the table; they belong to no version until a commit.

        Args:
            table: the declaration of the table.
            frame: the rows.
            rebalance: as for ``write``.

        Raises:
            ContractError: the frame does not have the declared columns.
        """
        newest = self._commits(table).newest_version()
        partition_by = table.partition_by if newest is None else self.state(table, newest).partition_by
        rows = table.conform(frame)
        files = self._new_files(rows, partition_by, rebalance=rebalance)
        return SetAside(read_new_files(self.spark, files.files, rows), files, newest)

    def _new_files(self, rows: DataFrame, partition_by: Sequence[str], *, rebalance: bool) -> NewFiles:
        frame = rebalanced(rows, partition_by) if rebalance else rows
        return write_new_files(frame, self.root, partition_by, self.storage)

    def _commit(
        self,
        table: Table,
        newest: int | None,
        schema: T.StructType,
        kept: Mapping[str, Action],
        new: NewFiles,
        author: str,
    ) -> Written:
        """Commit a version of kept and new files; a no-op if they equal those of the newest version.

        Args:
            table: the table.
            newest: its newest version at the start of the write.
            schema: of the new version.
            kept: files of earlier versions.
            new: newly written files.
            author: run id.

        Raises:
            AnotherWriter: another process wrote the table in the meantime.
        """
        before = None if newest is None else self.state(table, newest)
        ours = 0 if newest is None else newest + 1
        added = {**kept, **{add["path"]: add for add in (file.action() for file in new.files)}}
        is_same = before is not None and added.keys() == before.added.keys()
        if not is_same:
            move_into(self.spark, self.path(table.name), new.files)
        new.remove(self.spark)
        if newest is not None and is_same:
            return Written(newest, 0)
        actions = list(commit_entries(table, before, schema, added, self.signature(author), new.rows))
        self.before_commit()
        try:
            self._commits(table).append(ours, actions)
        except AlreadyThere as error:
            raise AnotherWriter(
                f"table {table.name}: another process wrote version {ours} at the same time as run {author}",
                "run the job again after the other one has finished; nothing was published",
            ) from error
        start = before if before is not None else TableState(-1, {})
        self._states[table.name, ours] = start.after(ours, actions)
        if ours and ours % CHECKPOINTS == 0:
            self._checkpoint(table)
        return Written(ours, new.rows)

    def _checkpoint(self, table: Table) -> None:
        """Write a checkpoint of the log, so that readers need not read all of it."""
        jvm: Any = self.spark._jvm
        log: Any = jvm.org.apache.spark.sql.delta.DeltaLog
        log.forTable(self.spark._jsparkSession, self.path(table.name)).checkpoint()
