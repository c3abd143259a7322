"""A lake: tables as Parquet files in folders of runs, and the objects that say which files belong to which run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.lake.lease import Lease
from cqa_spark.lake.reading import read_parquet
from cqa_spark.lake.table import DataFile, Table, TableFiles
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore, damaged, missing
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote

TABLES = "tables"
"""Folder of the tables: ``LAKE/tables/NAME/RUN.ATTEMPT/WRITE/part-….parquet``."""

RUNS = "runs"
"""Folder of everything else that a run writes: ``LAKE/runs/RUN.ATTEMPT/``."""


@dataclass(frozen=True)
class Lake:
    """A folder, local or in a bucket.

    Attributes:
        session: the Spark session that reads and writes tables, or a function that starts it on first use.
        root: folder of the lake; a local path, or an address in a bucket.
        storage: object storage settings.
    """

    session: SparkSession | Callable[[], SparkSession]
    root: str
    storage: ObjectStorageSettings = field(default_factory=ObjectStorageSettings)
    _frames: dict[tuple[Table, tuple[str, ...]], DataFrame] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def spark(self) -> SparkSession:
        """The session that reads and writes tables, started on first use."""
        return self.session if isinstance(self.session, SparkSession) else self.session()

    @property
    def objects(self) -> ObjectStore:
        """The lake's objects: the lease, the pointer to the published run, the run log, manifests."""
        return open_store(self.root, self.storage)

    def path(self, *parts: str) -> str:
        """The path of a file or folder of the lake."""
        return "/".join([self.root.rstrip("/"), *parts])

    def absolute_path(self, *parts: str) -> str:
        """The path of a file or folder of the lake, whatever the working folder of the process that opens it."""
        return self.path(*parts) if is_remote(self.root) else str(Path(self.path(*parts)).absolute())

    def before_write(self) -> None:
        """Called before every write; a leased lake checks its lease here."""

    def read(self, table: Table, files: TableFiles) -> DataFrame:
        """The rows of files; declared columns that a file lacks are null, others are not read.

        Files never change, so a set of files is opened once.

        Raises:
            ContractError: a file is missing, or has another size; Spark takes one without bytes for one without rows.
        """
        ordered = tuple(sorted(files.files, key=lambda file: file.path))
        paths = tuple(file.path for file in ordered)
        if (table, paths) not in self._frames:
            self._frames[table, paths] = self._frame(table, ordered)
        return self._frames[table, paths]

    def _frame(self, table: Table, files: Sequence[DataFile]) -> DataFrame:
        if not files:
            return table.empty(self.spark)
        self._refuse_damaged(files)
        return read_parquet(
            self.spark, table.schema, {self.path(file.path): file.bytes for file in files}, self.storage
        )

    def _refuse_damaged(self, files: Sequence[DataFile]) -> None:
        stored: dict[str, int] = {}
        for folder in {file.path.split("/")[1] for file in files}:
            stored |= self.objects.sizes(f"{TABLES}/{folder}/")
        for file in files:
            if file.path not in stored:
                raise missing(self.objects.root, file.path, "a manifest names it")
            if stored[file.path] != file.bytes:
                reason = f"it has {stored[file.path]:,} bytes, and had {file.bytes:,}"
                raise damaged(self.objects.root, file.path, reason)


@dataclass(frozen=True)
class LeasedLake(Lake):
    """A lake with its lease, which is required to publish; created by ``cqa_spark.lake.opening.hold``."""

    lease: Lease = field(kw_only=True)

    def before_write(self) -> None:
        """Renew the lease, so that no other process takes it during the write.

        Raises:
            AnotherWriter: another process has taken it.
        """
        self.lease.renew()
