"""Reading of the lake's tables: any version of a table.

Spark reads the files of a table, and this package its log, so that a read takes no additional query; with Delta's own
reader, it takes several.

Source: the protocol of Delta's transaction log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.journal import Journal
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_state import TableState, file_path, table_state
from cqa_spark.object_store.opening import open_store
from cqa_spark.object_store.store import ObjectStore
from cqa_spark.spark.file_paths import literal_path


@dataclass(frozen=True)
class LakeReader:
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

    def _commits(self, table: Table) -> CommitLog:
        return CommitLog(self.objects, table.name)
