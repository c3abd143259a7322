"""Storage of the lake's tables: reads and writes versions of a table.

Tables are in Delta format, and any Delta reader reads them. Spark writes and reads their files, and this package their
logs, with one commit per version. A write takes one query and a read no additional one; with Delta's own writer and
reader, both take several.

Source: the protocol of Delta's transaction log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.journal import Journal
from cqa_spark.lake.log_entries import commit_entries, merged_schema, nullable, without
from cqa_spark.lake.new_files import (
    ROWS,
    NewFile,
    NewFiles,
    marked,
    move_into,
    read_new_files,
    rebalanced,
    write_new_files,
)
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_state import Action, TableState, file_path, table_state
from cqa_spark.object_store.opening import open_store
from cqa_spark.object_store.store import AlreadyThere, ObjectStore
from cqa_spark.spark.file_paths import literal_path

KEPT, NEW, GONE = "kept", "new", "gone"
"""Kinds of rows when files of a table are rewritten."""

FEW_SITES = 8
"""Sites up to which writes do not bring the rows of a site together, which takes a shuffle, and revisions of a small
table do not search for the files that they change, which takes a query."""

REWRITTEN = 64 << 20
"""Size of a table of few sites, in bytes, up to which all of its files are rewritten without searching for the affected
ones."""

SMALL = 16 << 20
"""Size, in bytes, below which a file is small."""

MOST_SMALL = 8
"""Number of small files of a site up to which revisions do not merge them."""

CHECKPOINTS = 10
"""Number of versions between checkpoints of a table's log."""


@dataclass(frozen=True)
class Written:
    """The result of a write.

    Attributes:
        version: new version of the table.
        rows: number of rows that were passed in.
    """

    version: int
    rows: int


@dataclass(frozen=True)
class SetAside:
    """Rows that a process has written to files, and that belong to no version of a table.

    Attributes:
        frame: reads the rows.
        files: their files.
        newest: the newest version of the table before the rows were written; None before the first version.
    """

    frame: DataFrame
    files: NewFiles
    newest: int | None

    def union(self, later: SetAside) -> SetAside:
        """The rows of both."""
        return SetAside(self.frame.unionByName(later.frame), self.files.with_files_of(later.files), self.newest)


@dataclass(frozen=True)
class Lake:
    """A folder of Delta tables.

    Attributes:
        session: the Spark session that reads and writes tables, or a function that starts it on first use.
        root: folder of the lake; a local path or a URL that Spark supports.
        storage: object storage settings.

    A version of a table never changes, so each is looked up once.
    """

    session: SparkSession | Callable[[], SparkSession]
    root: str
    storage: ObjectStorageSettings = field(default_factory=ObjectStorageSettings)
    _states: dict[tuple[str, int], TableState] = field(default_factory=dict, init=False, repr=False, compare=False)
    _frames: dict[tuple[Table, int], DataFrame] = field(default_factory=dict, init=False, repr=False, compare=False)
    _revised: dict[tuple[str, int, int], tuple[list[NewFile], list[str]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def spark(self) -> SparkSession:
        """The session that reads and writes tables, started on first use."""
        return self.session if isinstance(self.session, SparkSession) else self.session()

    @property
    def journal(self) -> Journal:
        """The journal, with data about runs that does not grow with the corpus."""
        return Journal(self.objects)

    @property
    def objects(self) -> ObjectStore:
        """The lake's objects other than tables: the lease, and the pointer to the published run."""
        return open_store(self.root, self.storage)

    def path(self, *parts: str) -> str:
        """The path of a file or folder of the lake."""
        return "/".join([self.root.rstrip("/"), *parts])

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
            frame: the new rows, all of these sites.
            sites: sites whose earlier rows are replaced.
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

    def merge_rows(
        self, table: Table, frame: DataFrame | None, *, stale: DataFrame | None, base: int, author: str
    ) -> Written:
        """Write a new version that differs from an earlier one in some of its rows; other files are unchanged.

        Args:
            table: the declaration of the table.
            frame: the new rows; None for none.
            stale: keys of the earlier rows to remove, distinct; all or some of the key columns; None for none.
            base: the earlier version.
            author: run id, as for ``write``.

        Returns:
            The new version, with the number of new rows.

        Raises:
            ContractError: the frame does not have the declared columns.
            AnotherWriter: another process wrote the table in the meantime.
        """
        self.before_commit()
        newest, before = self.newest_version(table), self.state(table, base)
        schema = merged_schema(before.schema, table.schema)
        parts = [] if frame is None else [marked(table.conform(frame), NEW)]
        small = _small_files(before)
        again = small if stale is None else {**self._files_with(table, before, stale), **small}
        if again:
            stored = self._frame(table, TableState(base, before.metadata, again), schema)
            parts.append(_told_apart(stored, stale, gone=table.keeps_changes))
        if not parts:
            return self._commit(table, newest, schema, before.added, None, author)
        rows = parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1], allowMissingColumns=True)
        files = self._new_files(rows, before.partition_by, rebalance=True)
        if not small and sum(file.rows for file in files.of(KEPT)) == before.with_files(again).rows:
            again, files = {}, replace(files, files=files.of(NEW))
        others = without(before.added, again)
        written = self._commit(table, newest, schema, others, files, author)
        if table.keeps_changes:
            new = [file.action()["path"] for file in files.of(NEW)]
            self._revised[table.name, base, written.version] = files.of(GONE), new
        return Written(written.version, sum(file.rows for file in files.of(NEW)))

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

    def newest_version(self, table: Table) -> int:
        """The number of the newest version, by any writer."""
        newest = self._commits(table).newest_version()
        assert newest is not None, f"{table.name} has at least one version"
        return newest

    def state(self, table: Table, version: int) -> TableState:
        """The files of one version, with their row and null counts."""
        if (table.name, version) not in self._states:
            self._states[table.name, version] = table_state(self.objects, table.name, version)
        return self._states[table.name, version]

    def read(self, table: Table, version: int) -> DataFrame:
        """The rows of one version; columns that were declared later are null.

        Raises:
            ContractError: the stored version has undeclared columns, or lacks columns that are not nullable.
        """
        if (table, version) not in self._frames:
            state = self.state(table, version)
            stored = self._frame(table, state, state.schema)
            if table.varies:
                stored = stored.select(*[field.name for field in table.columns if field.name in stored.columns])
            self._frames[table, version] = table.complete(stored)
        return self._frames[table, version]

    def read_changes(self, table: Table, since: int, until: int) -> tuple[DataFrame, DataFrame]:
        """The rows deleted and the rows added between two versions; unchanged rows may be in both.

        After a merge by this lake into a table that keeps its changes, these are exactly the changed rows; otherwise
        the rows of all files that only one of the versions has.
        """
        if since == until:
            return table.empty(self.spark), table.empty(self.spark)
        before, after = self.state(table, since), self.state(table, until)
        if (table.name, since, until) in self._revised:
            gone, new = self._revised[table.name, since, until]
            came = after.with_files({path: after.added[path] for path in new})
            went = read_new_files(self.spark, gone, self._frame(table, before, after.schema))
            return table.complete(went), table.complete(self._frame(table, came, after.schema))
        sides = ((before, after), (after, before))
        only = [each.with_files(without(each.added, other.added)) for each, other in sides]
        went, came_too = (table.complete(self._frame(table, each, each.schema)) for each in only)
        return went, came_too

    def exists(self, table: Table) -> bool:
        """Whether the table has ever been written."""
        return self._commits(table).newest_version() is not None

    def _frame(self, table: Table, state: TableState, schema: T.StructType) -> DataFrame:
        """The rows of a state's files; columns that are missing from a file are null."""
        if not state.added:
            return self.spark.createDataFrame([], schema)
        root = self.path(table.name)
        files = [literal_path(f"{root}/{file_path(path)}") for path in sorted(state.added)]
        found = self.spark.read.schema(schema).option("basePath", root).parquet(*files)
        return found.select(*[F.col(field.name).alias(field.name, metadata=field.metadata) for field in schema])

    def _new_files(self, rows: DataFrame, partition_by: Sequence[str], *, rebalance: bool) -> NewFiles:
        return write_new_files(rebalanced(rows, partition_by) if rebalance else rows, self.root, partition_by)

    def _files_with(self, table: Table, state: TableState, keys: DataFrame) -> Mapping[str, Action]:
        """The files with rows of the given keys; all files if the table is small and has few sites."""
        if state.bytes <= REWRITTEN and len(state.files_by_partition()) <= FEW_SITES:
            return state.added
        name = F.col("_metadata.file_name").alias("_name")
        folders = [F.col(column).alias(f"_{column}") for column in state.partition_by]
        rows = self._frame(table, state, state.schema).select(*keys.columns, name, *folders)
        with_keys = rows.join(keys, on=keys.columns, how="left_semi").drop(*keys.columns).distinct()
        found = {tuple(row) for row in with_keys.collect()}  # a task gives its files of all partitions one name
        return {
            path: add
            for path, add in state.added.items()
            if (file_path(path).rpartition("/")[2], *map(add["partitionValues"].get, state.partition_by)) in found
        }

    def _commit(
        self,
        table: Table,
        newest: int | None,
        schema: T.StructType,
        kept: Mapping[str, Action],
        new: NewFiles | None,
        author: str,
    ) -> Written:
        """Commit a version of kept and new files; a no-op if they equal those of the newest version.

        Args:
            table: the table.
            newest: its newest version at the start of the write.
            schema: of the new version.
            kept: files of earlier versions.
            new: newly written files; None for none.
            author: run id.

        Raises:
            AnotherWriter: another process wrote the table in the meantime.
        """
        before = None if newest is None else self.state(table, newest)
        files = [] if new is None else [file for file in new.files if file.kind != GONE]
        rows, ours = sum(file.rows for file in files), 0 if newest is None else newest + 1
        added = {**kept, **{add["path"]: add for add in (file.action() for file in files)}}
        is_same = before is not None and added.keys() == before.added.keys()
        if not is_same:
            move_into(self.spark, self.path(table.name), files)
        if new is not None and not new.of(GONE):
            new.remove(self.spark)
        if newest is not None and is_same:
            return Written(newest, 0)
        actions = list(commit_entries(table, before, schema, added, self.signature(author), rows))
        data = "\n".join(json.dumps(action) for action in actions).encode()
        self.before_commit()
        try:
            self.objects.create(f"{table.name}/_delta_log/{ours:020d}.json", data)
        except AlreadyThere as error:
            raise AnotherWriter(
                f"table {table.name}: another process wrote version {ours} at the same time as run {author}",
                "run the job again after the other one has finished; nothing was published",
            ) from error
        start = before if before is not None else TableState(-1, {})
        self._states[table.name, ours] = start.after(ours, actions)
        if ours and ours % CHECKPOINTS == 0:
            self._checkpoint(table)
        return Written(ours, rows)

    def _checkpoint(self, table: Table) -> None:
        """Write a checkpoint of the log, so that readers need not read all of it."""
        jvm: Any = self.spark._jvm
        log: Any = jvm.org.apache.spark.sql.delta.DeltaLog
        log.forTable(self.spark._jsparkSession, self.path(table.name)).checkpoint()

    def _commits(self, table: Table) -> CommitLog:
        return CommitLog(self.objects, table.name)


def _small_files(state: TableState) -> dict[str, Action]:
    """The small files of partitions that have many."""
    found: dict[str, Action] = {}
    for files in state.files_by_partition().values():
        small = {path: add for path, add in files.items() if add["size"] < SMALL}
        if len(small) > MOST_SMALL:
            found |= small
    return found


def _told_apart(stored: DataFrame, stale: DataFrame | None, *, gone: bool) -> DataFrame:
    """Stored rows with their kind: the rows to keep and, if requested, the removed rows."""
    if stale is None:
        return marked(stored, KEPT)
    if not gone:
        return marked(stored.join(stale, on=stale.columns, how="left_anti"), KEPT).select(*stored.columns, ROWS)
    is_stale = stale.select("*", F.lit(True).alias("_is_stale"))
    found = stored.join(is_stale, on=stale.columns, how="left")
    return found.select(*stored.columns, F.when(F.col("_is_stale"), GONE).otherwise(KEPT).alias(ROWS))
