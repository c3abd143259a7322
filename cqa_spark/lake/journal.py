"""The journal of a lake: data about runs that does not grow with the corpus, read and written without Spark.

An attempt of a run has one Parquet file for each journal table, in its own folder. A file is written atomically:
readers see all of its rows or none.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.object_store.store import ObjectStore, damaged, missing
from cqa_spark.spark.internals import to_arrow_schema

RUN_ID = pa.field("run_id", pa.string(), nullable=False)
"""The first column of every file: the run that wrote it, for readers of the files of many runs."""

Entry = dict[str, Any]
"""One row of a journal table, by column."""


@dataclass(frozen=True)
class JournalTable:
    """The declaration of a journal table.

    Attributes:
        name: of its files.
        about: description, one sentence.
        columns: declared columns, in stored order.
        key: columns that identify a row of one run.
    """

    name: str
    about: str
    columns: tuple[T.StructField, ...]
    key: tuple[str, ...]

    @property
    def schema(self) -> T.StructType:
        """The declared Spark schema."""
        return T.StructType(list(self.columns))

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The schema of the stored files."""
        return to_arrow_schema(self.schema)

    def conform(self, entries: Iterable[Mapping[str, Any]]) -> list[Entry]:
        """The declared columns of each entry, in order; an absent nullable column is None.

        Raises:
            ContractError: an entry has a missing or an undeclared column.
        """
        return [self._conform(entry) for entry in entries]

    def _conform(self, entry: Mapping[str, Any]) -> Entry:
        declared = {column.name for column in self.columns}
        missing = [c.name for c in self.columns if not c.nullable and entry.get(c.name) is None]
        problems = [f"missing {name}" for name in missing]
        problems += [f"undeclared {name}" for name in entry if name not in declared]
        if problems:
            raise ContractError(
                f"journal table {self.name}: {'; '.join(problems)}",
                "give an entry for every declared column, or change the declaration in cqa_spark/lake/schemas",
            )
        return {column.name: entry.get(column.name) for column in self.columns}


def write_entries(
    objects: ObjectStore, table: JournalTable, entries: Iterable[Mapping[str, Any]], key: str, *, run_id: str
) -> None:
    """Write all entries of a run's attempt, replacing earlier ones, after the id of the run unless they have one.

    Args:
        objects: the lake's objects.
        table: the declaration of the entries.
        entries: the rows, with the declared columns.
        key: of the file.
        run_id: the run.

    Raises:
        ContractError: an entry does not have the declared columns, or a value is not of its column's type.
    """
    buffer = io.BytesIO()
    try:
        rows = pa.Table.from_pylist(table.conform(entries), schema=table.arrow_schema)
        if RUN_ID.name not in rows.schema.names:
            rows = rows.add_column(0, RUN_ID, pa.repeat(run_id, len(rows)))
        pq.write_table(rows, buffer, write_page_checksum=True)
    except (pa.ArrowException, OverflowError) as error:
        raise ContractError(f"journal table {table.name}: {error}", "give values of the declared types") from error
    objects.put(key, buffer.getvalue())


def read_entries(objects: ObjectStore, table: JournalTable, key: str) -> list[Entry]:
    """The entries in a file; columns that were declared later are None.

    Raises:
        ContractError: the file is missing, damaged, or of another table.
    """
    stored = objects.read(key)
    if stored is None:
        raise missing(objects.root, key, "a manifest names it")
    try:
        rows = _rows(pq.ParquetFile(io.BytesIO(stored.data), page_checksum_verification=True).read())
    except (pa.ArrowException, OSError) as error:
        raise damaged(objects.root, key, error) from error
    entries = [{column.name: row.get(column.name) for column in table.columns} for row in rows]
    required = [column.name for column in table.columns if not column.nullable]
    if absent := [name for name in required if any(entry[name] is None for entry in entries)]:
        raise damaged(objects.root, key, f"it has no values of {', '.join(absent)}")
    return entries


def _rows(stored: pa.Table) -> list[Entry]:
    """The rows of a table, with times in UTC; pyarrow itself would import pandas for times with a time zone."""
    moments = [column.name for column in stored.schema if pa.types.is_timestamp(column.type)]
    for name in moments:
        stored = stored.set_column(stored.schema.get_field_index(name), name, stored[name].cast(pa.timestamp("us")))
    rows = stored.to_pylist(maps_as_pydicts="strict")
    for row in rows:
        row.update({name: row[name].replace(tzinfo=UTC) for name in moments if row[name] is not None})
    return rows
