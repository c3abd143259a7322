"""Storage of the lake's tables: reads and writes versions of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as F

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.commits import FENCE, CommitLog
from cqa_spark.lake.journal import Journal
from cqa_spark.lake.table import Table
from cqa_spark.object_store.opening import open_store
from cqa_spark.object_store.store import ObjectStore

_KEEPS_CHANGES = "delta.enableChangeDataFeed"
_WENT, _CAME = ("delete", "update_preimage"), ("insert", "update_postimage")
_OF_CHANGES = ("_change_type", "_commit_version", "_commit_timestamp")


@dataclass(frozen=True)
class Written:
    """The result of a write.

    Attributes:
        version: new version of the table.
        rows: number of rows that the version holds.
    """

    version: int
    rows: int


@dataclass(frozen=True)
class Lake:
    """A folder of Delta tables.

    Attributes:
        session: the Spark session that reads and writes tables, or a function that starts it when it is first needed.
        root: folder of the lake; a local path or a URL that Spark supports.
        storage: object storage settings.

    A version of a table never changes, so each is looked up once.
    """

    session: SparkSession | Callable[[], SparkSession]
    root: str
    storage: ObjectStorageSettings = field(default_factory=ObjectStorageSettings)
    _versions: dict[tuple[Table, int], DataFrame] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def spark(self) -> SparkSession:
        """The session that reads and writes tables, started on first use."""
        return self.session if isinstance(self.session, SparkSession) else self.session()

    @property
    def journal(self) -> Journal:
        """The facts about runs that do not grow with the corpus."""
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

    def write(self, table: Table, frame: DataFrame, *, author: str) -> Written:
        """Write a new version that holds exactly the frame's rows.

        Args:
            table: the declaration that the frame has to conform to.
            frame: the rows.
            author: run id, recorded with the commit, by which it is recognised as ours.

        Raises:
            ContractError: the frame does not have the declared columns.
            AnotherWriter: another process wrote the table meanwhile.
        """
        before = self._commits(table).newest_version()
        writer = table.conform(frame).write.format("delta").mode("overwrite").option("overwriteSchema", "true")
        if table.keeps_changes:
            writer = writer.option(_KEEPS_CHANGES, "true")
        return self._commit(table, writer.partitionBy(*table.partition_by), before, author)

    def replace(self, table: Table, frame: DataFrame, *, where: str, base: int | None, author: str) -> Written:
        """Write a new version that differs from an earlier one in some of its rows.

        Args:
            table: the declaration that the frame has to conform to.
            frame: the new rows, all of which satisfy the condition.
            where: SQL condition on partition columns: the rows of the earlier version to replace.
            base: the earlier version; None to keep no earlier rows.
            author: run id, as for ``write``.

        Raises:
            ContractError: the frame does not have the declared columns.
            AnotherWriter: another process wrote the table meanwhile.
        """
        if base is None or not self.exists(table):
            return self.write(table, frame, author=author)
        before = self._back_to(table, base)
        writer = table.conform(frame).write.format("delta").mode("overwrite").option("replaceWhere", where)
        writer = writer.option("mergeSchema", "true").partitionBy(*table.partition_by)
        return self._commit(table, writer, before, author)

    def merge_rows(self, table: Table, frame: DataFrame, *, stale: DataFrame | None, base: int, author: str) -> Written:
        """Write a new version that differs from an earlier one in some of its rows, and leave all other files alone.

        One commit deletes the old rows and the next adds the new ones; publishing the run makes both visible at once.

        Args:
            table: the declaration that the frame has to conform to.
            frame: the new rows.
            stale: columns of the key, or some of them: the rows of the earlier version to replace; None for none.
            base: the earlier version.
            author: run id, as for ``write``.

        Returns:
            The new version, with the number of new rows.

        Raises:
            ContractError: the frame does not have the declared columns.
            AnotherWriter: another process wrote the table meanwhile.
        """
        before = self._back_to(table, base)
        if stale is not None:
            before = self.delete(table, stale)
        # Few rows go to one file, whatever their partitions: a table revised every night collects a year of files.
        writer = table.conform(frame).hint("rebalance").write.format("delta").mode("append")
        return self._commit(table, writer.option("mergeSchema", "true"), before, author)

    def append(self, table: Table, frame: DataFrame) -> int:
        """Add rows in one atomic commit; return the table's new version."""
        self.before_commit()
        writer = table.conform(frame).write.format("delta").mode("append").option("mergeSchema", "true")
        writer.save(self.path(table.name))
        return self.newest_version(table)

    def delete(self, table: Table, keys: DataFrame) -> int:
        """Remove the rows with the given keys in one atomic commit; return the table's new version.

        Args:
            table: the table.
            keys: the columns of its key, or some of them; distinct.
        """
        self.before_commit()
        matches = " AND ".join(f"stored.{name} = gone.{name}" for name in keys.columns)
        stored = DeltaTable.forPath(self.spark, self.path(table.name)).alias("stored")
        stored.merge(keys.alias("gone"), matches).whenMatchedDelete().execute()
        return self.newest_version(table)

    def newest_version(self, table: Table) -> int:
        """The number of the newest version, by any writer."""
        newest = self._commits(table).newest_version()
        assert newest is not None, f"{table.name} has at least one version"
        return newest

    def read(self, table: Table, version: int) -> DataFrame:
        """The rows of one version; a column declared after it was written is null.

        Raises:
            ContractError: the stored version has columns that the code does not declare, or lacks some that are never
                null.
        """
        if (table, version) not in self._versions:
            stored = self._load(table, version)
            if table.varies:
                stored = stored.select(*[field.name for field in table.columns if field.name in stored.columns])
            self._versions[table, version] = table.complete(stored)
        return self._versions[table, version]

    def stored_columns(self, table: Table, version: int) -> list[str]:
        """The names of the columns that one version has."""
        return self._load(table, version).columns

    def read_changes(self, table: Table, since: int, until: int) -> tuple[DataFrame, DataFrame]:
        """The rows deleted and those added between two versions; unchanged rows may be in both.

        All rows of both versions, where the table does not keep what its versions changed, or a late writer may have
        overwritten what one of them did.
        """
        if since == until:
            return table.empty(self.spark), table.empty(self.spark)
        if not self._kept_changes(table) or self._is_fenced(table, since, until):
            return self.read(table, since), self.read(table, until)
        reader = self.spark.read.format("delta").option("readChangeFeed", "true")
        reader = reader.option("startingVersion", since + 1).option("endingVersion", until)
        rows = reader.load(self.path(table.name))
        went, came = (rows.where(F.col("_change_type").isin(*kinds)) for kinds in (_WENT, _CAME))
        return table.complete(went.drop(*_OF_CHANGES)), table.complete(came.drop(*_OF_CHANGES))

    def exists(self, table: Table) -> bool:
        """Whether the table has ever been written."""
        return self._commits(table).newest_version() is not None

    def _load(self, table: Table, version: int) -> DataFrame:
        reader = self.spark.read.format("delta").option("versionAsOf", version)
        return reader.load(self.path(table.name))

    def _kept_changes(self, table: Table) -> bool:
        """Whether the stored table has a change data feed; one created before that was declared does not."""
        if not table.keeps_changes:
            return False
        details = DeltaTable.forPath(self.spark, self.path(table.name)).detail()
        return details.select("properties").collect()[0][0].get(_KEEPS_CHANGES) == "true"

    def _is_fenced(self, table: Table, since: int, until: int) -> bool:
        return any(commit.author == FENCE for commit in self._commits(table).newest_first(until, since))

    def _back_to(self, table: Table, base: int) -> int:
        """Restore an earlier version as the newest one; return its number."""
        if self.newest_version(table) == base:
            return base
        self.before_commit()
        DeltaTable.forPath(self.spark, self.path(table.name)).restoreToVersion(base)
        return self.newest_version(table)

    def _commit(self, table: Table, writer: DataFrameWriter, before: int | None, author: str) -> Written:
        """Write, and check that this commit directly follows an earlier version and is the newest.

        Delta commits nothing if no rows replace no rows.
        """
        self.before_commit()
        signature = self.signature(author)
        writer.option("userMetadata", signature).save(self.path(table.name))
        newest = self.newest_version(table)
        if newest == before:
            return Written(newest, 0)
        ours = 0 if before is None else before + 1
        commit = next(self._commits(table).newest_first(ours, ours - 1), None)
        if newest != ours or commit is None or commit.author != signature:
            raise AnotherWriter(
                f"table {table.name}: another process wrote version {newest} while run {author} wrote version {ours}",
                "run the job again when the other is done; nothing was published",
            )
        return Written(commit.version, commit.rows)

    def _commits(self, table: Table) -> CommitLog:
        return CommitLog(self.objects, table.name)
