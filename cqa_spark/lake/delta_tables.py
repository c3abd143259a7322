"""The published tables as Delta tables, for readers without this project's code.

The newest version of every table has the files of the published runs. The log of a table is written by ``deltalake``,
in one commit for a publication, with the number of the publication as the version of a transaction: a table that has
this number and the files is complete. A table with a greater number comes from another history of the lake, such as one
whose run log was restored from a backup; it gets the files and the number, too.

A process that was overtaken commits nothing: it checks its lease after it has opened a version of a table, and a commit
to this version fails if there is a later one.

Source: the protocol of Delta's transaction log, "Transaction Identifiers", "Add File and Remove File".
"""

import json
import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from deltalake import CommitProperties, DeltaTable, Field, Schema, Transaction
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction, create_table_with_add_actions

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.lake.lake import TABLES, Lake
from cqa_spark.lake.schemas import published_tables
from cqa_spark.lake.table import NO_FILES, DataFile, Table, TableFiles
from cqa_spark.lake.writing import nullable
from cqa_spark.object_store.store import delta_address, delta_options
from cqa_spark.settings.values import is_remote

APPLICATION = "cqa"
"""Name of the transaction whose version is the number of the publication."""

_ATTEMPTS = 5
_CONFIGURATION: Mapping[str, str | None] = {
    # A run that is kept needs its files, whatever another program cleans up; `cqa runs gc` deletes what none needs.
    "delta.deletedFileRetentionDuration": "interval 36500 days",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.enableExpiredLogCleanup": "false",
    "delta.checkpointInterval": "10",
}


def refuse_changed_types(lake: Lake) -> None:
    """Check that every column that this package has stored has the declared type, before a run is published.

    Raises:
        ContractError: a column has another type than declared.
    """
    options = delta_options(lake.root, lake.storage)
    for table in stored_tables(lake):
        location = _location(lake, table)
        with suppress(DeltaError, OSError):  # whoever updates the table says why it cannot be read
            if (stored := _opened(location, options)) is not None:
                _refuse_changed_types(stored, table)


def update_tables(
    lake: Lake, tables: Mapping[str, TableFiles], number: int, *, before_commit: Callable[[], None]
) -> None:
    """Make files the newest version of every table.

    Args:
        lake: the lake.
        tables: the files of every table, by its name; others become empty.
        number: of the publication.
        before_commit: called before every commit, to check that no other process writes the lake.

    Raises:
        EnvironmentProblem: tables cannot be completed; all others are.
    """
    failures: list[EnvironmentProblem] = []
    options = delta_options(lake.root, lake.storage)
    for table in stored_tables(lake, tables):
        try:
            _update(lake, options, table, tables.get(table.name, NO_FILES), number, before_commit)
        except EnvironmentProblem as error:
            failures.append(error)
    if failures:
        raise EnvironmentProblem("; ".join(failure.problem for failure in failures), failures[0].remedy) from failures[
            0
        ]


def stored_tables(lake: Lake, new: Collection[str] = ()) -> list[Table]:
    """The declared tables that are stored, or named as new."""
    stored = {*lake.objects.folders(TABLES), *new}
    return [table for table in published_tables() if table.name in stored]


def _update(
    lake: Lake,
    options: dict[str, str],
    table: Table,
    files: TableFiles,
    number: int,
    before_commit: Callable[[], None],
) -> None:
    location = _location(lake, table)
    for _ in range(_ATTEMPTS):
        try:
            stored = _opened(location, options)
            before_commit()
            if stored is None:
                _create(location, options, table, files, number)
                return
            if _replace_schema(stored, table) or _add_columns(stored, table):
                continue
            _commit(stored, table, files, number)
            return
        except (DeltaError, OSError) as error:
            failure = error
    path, reason = lake.path(TABLES, table.name), str(failure).partition("\n")[0]
    raise EnvironmentProblem(
        f"the table {path} cannot be updated: {reason}",
        "run any job that writes the lake: it completes the publication first; if the table's log is damaged, "
        f"delete {path}/_delta_log before, and it is written anew",
    ) from failure


def _opened(location: str, options: dict[str, str]) -> DeltaTable | None:
    """The table; None if it has no log.

    ``DeltaTable.is_deltatable`` would stop all threads until the storage answers, and so the renewal of the lease.
    """
    try:
        return DeltaTable(location, storage_options=options)
    except TableNotFoundError:
        return None


def _create(location: str, options: dict[str, str], table: Table, files: TableFiles, number: int) -> None:
    create_table_with_add_actions(
        location,
        _schema(table),
        [_added(table, file) for file in files.files],
        mode="error",
        partition_by=[],
        name=table.name,
        description=table.about,
        configuration=_CONFIGURATION,
        storage_options=options,
        commit_properties=_properties(number),
    )


def _commit(stored: DeltaTable, table: Table, files: TableFiles, number: int) -> None:
    """Commit the difference between a version of a table and the files that it has to have, unless it is complete."""
    old = set(stored.get_add_actions().column("path").to_pylist())
    new = {_path(table, file): file for file in files.files}
    actions: list[AddAction | RemoveAction] = [_added(table, file) for path, file in new.items() if path not in old]
    actions += [RemoveAction(path, True, _now(), None, {}) for path in sorted(old - new.keys())]
    if not actions and stored.transaction_version(APPLICATION) == number:
        return
    stored.create_write_transaction(
        actions, mode="append", schema=stored.schema(), partition_by=[], commit_properties=_properties(number)
    )


def _add_columns(stored: DeltaTable, table: Table) -> bool:
    """Add the columns that were declared after the table was created; return whether there are any.

    A commit of files drops a column that the table lacks, without an error.
    """
    stored_names = {field.name for field in stored.schema().fields}
    new = [field for field in _schema(table).fields if field.name not in stored_names]
    if new:
        stored.alter.add_columns(new, commit_properties=CommitProperties(max_commit_retries=0))
    return bool(new)


def _replace_schema(stored: DeltaTable, table: Table) -> bool:
    """Replace the columns of a table, and its rows, if another program has changed types; return whether it has."""
    changed = bool(_other_types(stored, table))
    if changed:
        stored.create_write_transaction(
            [], "overwrite", _schema(table), commit_properties=CommitProperties(max_commit_retries=0)
        )
    return changed


def _refuse_changed_types(stored: DeltaTable, table: Table) -> None:
    """Check the types of the columns of this package, which have comments; those that another program wrote have none.

    Raises:
        ContractError: one has another type than declared.
    """
    for declared, field in _other_types(stored, table):
        if field.metadata.get("comment"):
            raise ContractError(
                f"column {field.name} of the table {table.name} is declared as {declared.type}, and stored as "
                f"{field.type}; nothing was changed",
                "give the table another name, or write a new lake",
            )


def _other_types(stored: DeltaTable, table: Table) -> list[tuple[Field, Field]]:
    """The columns with another type than declared: as declared, and as stored."""
    stored_fields = {field.name: field for field in stored.schema().fields}
    pairs = []
    for declared in _schema(table).fields:
        field = stored_fields.get(declared.name)
        if field is not None and field.type != declared.type:
            pairs.append((declared, field))
    return pairs


def _properties(number: int) -> CommitProperties:
    return CommitProperties(app_transactions=[Transaction(APPLICATION, number)], max_commit_retries=0)


def _schema(table: Table) -> Schema:
    return Schema.from_json(nullable(table.schema).json())


def _added(table: Table, file: DataFile) -> AddAction:
    # All rows of a file have the same values in the columns that divide the table.
    limits = {name: value for name, value in file.values.items() if value is not None}
    counts = {"numRecords": file.rows, "minValues": limits, "maxValues": limits, "nullCount": dict(file.nulls)}
    return AddAction(_path(table, file), file.bytes, {}, _now(), True, json.dumps(counts))


def _now() -> int:
    """The time of an action in Delta's log, in milliseconds since 1970; nothing is decided by it."""
    return time.time_ns() // 1_000_000


def _path(table: Table, file: DataFile) -> str:
    """The path of a file relative to its table; it needs no escapes."""
    return file.path.removeprefix(f"{TABLES}/{table.name}/")


def _location(lake: Lake, table: Table) -> str:
    path = lake.path(TABLES, table.name)
    if not is_remote(path):
        absolute = os.path.abspath(path)
        Path(absolute).mkdir(parents=True, exist_ok=True)
        return absolute
    return delta_address(path)
