"""A lake and its runs, for reading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cqa_spark.commands.explain import explained_thread
from cqa_spark.commands.similar import Index
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import RUN_ID, JournalTable
from cqa_spark.lake.lake import Lake as Storage
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas import declared_tables
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, by_measure
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, published_runs, snapshot_of
from cqa_spark.reports.sections.explanation import Explained
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings
from cqa_spark.spark.internals import to_arrow_schema

if TYPE_CHECKING:
    import pandas as pd


class Rows(ABC):
    """Rows of a table, convertible to pandas, Arrow or Spark."""

    @abstractmethod
    def to_spark(self) -> DataFrame:
        """The rows as a lazy Spark frame; starts Spark."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """All rows, in memory."""

    def to_pandas(self) -> pd.DataFrame:
        """All rows, in memory."""
        return self.to_arrow().to_pandas()


class SmallRows(Rows):
    """Rows that do not grow with the corpus, read without Spark.

    Args:
        lake: provides the Spark session, if one is needed.
        rows: the values by column.
        schema: their types.
    """

    def __init__(self, lake: Storage, rows: Sequence[dict[str, Any]], schema: pa.Schema) -> None:
        self._lake, self._rows, self._schema = lake, rows, schema

    def to_spark(self) -> DataFrame:
        """The rows as a Spark frame."""
        rows = [tuple(row[name] for name in self._schema.names) for row in self._rows]
        return self._lake.spark.createDataFrame(rows, from_arrow_schema(self._schema))

    def to_arrow(self) -> pa.Table:
        """All rows, in memory."""
        return pa.Table.from_pylist(list(self._rows), schema=self._schema)


class TableRows(Rows):
    """Rows of a table.

    Args:
        frame: reads them.
    """

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame

    def to_spark(self) -> DataFrame:
        """The rows as a Spark frame."""
        return self._frame

    def to_arrow(self) -> pa.Table:
        """All rows, in memory; for a large table, select rows with ``to_spark`` first."""
        return pa.Table.from_pandas(self._frame.toPandas(), to_arrow_schema(self._frame.schema), preserve_index=False)

    def to_pandas(self) -> pd.DataFrame:
        """All rows, in memory; for a large table, select rows with ``to_spark`` first."""
        return self._frame.toPandas()


_LISTED = pa.schema(
    [
        ("run_id", pa.string()),
        ("status", pa.string()),
        ("published", pa.bool_()),
        ("recorded_at", pa.timestamp("us", tz="UTC")),
        ("job", pa.string()),
        ("corpus", pa.string()),
        ("sites", pa.list_(pa.string())),
        ("message", pa.string()),
    ]
)


def open_lake(path: str, *, object_storage: ObjectStorageSettings | None = None) -> Lake:
    """Open a lake for reading; nothing is written to it, and Spark starts when a table is read.

    Args:
        path: folder or ``s3a://…`` location of the lake.
        object_storage: object storage settings; None for Amazon's.

    Raises:
        ConfigError: there is no such lake, or an older version wrote it.

    >>> import cqa_spark as cqa
    >>> lake = cqa.open_lake("build/lake")
    >>> lake.runs().to_pandas()[["run_id", "status", "published"]].values.tolist()
    [['monday', 'succeeded', True], ['tuesday', 'failed', False]]
    """
    return Lake(read_lake(JobSettings(lake=path, object_storage=object_storage or ObjectStorageSettings())))


class Lake:
    """A lake, opened by ``open_lake``.

    Args:
        storage: its tables and journal.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def runs(self) -> Rows:
        """Each run by its last record, with the source format that it read (``corpus``), and its sites."""
        shown = {record.run_id for record in published_runs(self._storage)}
        rows = [
            {name: getattr(record, name) for name in _LISTED.names if name != "published"}
            | {"published": record.run_id in shown}
            for record in RunLog(self._storage.objects).newest()
        ]
        return SmallRows(self._storage, rows, _LISTED)

    def run(self, run_id: str | None = None) -> Run:
        """A successful run.

        Args:
            run_id: the run; None for the published ones, one of every corpus, which are read as one.

        Raises:
            InputError: no such run has succeeded, or nothing is published.

        >>> import cqa_spark as cqa
        >>> cqa.open_lake("build/lake").run().run_id
        'monday'
        """
        return Run(snapshot_of(self._storage, run_id))

    def explain(
        self, thread: str, *, run_id: str | None = None, system: str | None = None, site: str | None = None
    ) -> Explained:
        """The candidates of a thread, best first, with the features that contributed most to their scores.

        Args:
            thread: id of the question.
            run_id: the run; None for the published one.
            system: system to explain; None for the first one that explains its scores.
            site: site of the question; required if several sites have this id.

        Raises:
            InputError: there is no such run or thread, or the run has not trained the system.
            ConfigError: the system's ranker does not explain its scores.
        """
        return explained_thread(snapshot_of(self._storage, run_id), thread, system=system, site=site)


class Run:
    """The tables of a successful run.

    Args:
        snapshot: snapshot of these tables.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @property
    def run_id(self) -> str:
        """The id of the run, the latest of several."""
        return self._snapshot.record.run_id

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that ``table`` reads."""
        stored = self._snapshot.tables.keys() | self._snapshot.entry_files.keys()
        return tuple(sorted(stored & declared_tables().keys()))

    def table(self, name: str) -> Rows:
        """The rows of one table, such as ``posts`` or ``examples``; those about runs begin with the id of the run.

        Raises:
            InputError: the run has no table of this name; the message lists its tables.

        >>> import cqa_spark as cqa
        >>> run = cqa.open_lake("build/lake").run()
        >>> run.tables
        ('metrics',)
        >>> run.table("metrics").to_arrow().num_rows
        1
        """
        if name not in self.tables:
            raise InputError(f"run {self.run_id} has no table {name}", f"it has {', '.join(self.tables)}")
        table = declared_tables()[name]
        if isinstance(table, JournalTable):
            entries = [{RUN_ID.name: self.run_id} | entry for entry in self._snapshot.entries(table)]
            columns = [RUN_ID, *(column for column in table.arrow_schema if column.name != RUN_ID.name)]
            return SmallRows(self._snapshot.lake, entries, pa.schema(columns))
        return TableRows(self._snapshot.read(table))

    def index(self) -> Index:
        """The search index of the run's questions, read into memory: ``run.index().search("how to pour a stout")``.

        Raises:
            InputError: the run has no index.
        """
        return Index(self._snapshot)

    def metrics(self) -> Rows:
        """Each measure of each system with its interval, as fractions; also over parts of replayed nights.

        >>> import cqa_spark as cqa
        >>> metrics = cqa.open_lake("build/lake").run().metrics().to_pandas()
        >>> metrics[["system", "measure", "value", "low", "high"]].values.tolist()
        [['best_a', 'MAP@10', 0.5, 0.4, 0.6]]
        """
        return self.table(METRICS.name)

    def comparisons(self) -> Rows:
        """Each system against the baseline, with p-values adjusted by Holm, and the best against the second best."""
        return self.table(COMPARISONS.name)

    def query_metrics(self) -> Rows:
        """Each measure of each system and query, as fractions; in the table ``query_metrics``, a query is one row."""
        return TableRows(by_measure(self.table(QUERY_METRICS.name).to_spark()))

    def rankings(self, system: str | None = None) -> Rows:
        """The ranked candidates of every query.

        Args:
            system: system whose rankings are read; None for all.
        """
        rows = self.table(RANKINGS.name).to_spark()
        return TableRows(rows if system is None else rows.where(F.col("system") == system))
