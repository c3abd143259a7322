"""Reads the stored values of feature groups from the tables of a run."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import feature_table
from cqa_spark.features.group import Place
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.table import Table


def tables_of(groups: Iterable[str]) -> tuple[Table, ...]:
    """The tables with the values of feature groups, declared with the columns of these groups.

    Raises:
        ConfigError: an unknown group.
    """
    classes = [group_class(name) for name in groups]
    places = [(place, [found for found in classes if found.place is place]) for place in Place]
    return tuple(feature_table(place, found) for place, found in places if found)


def missing_groups(run: RunTables, groups: Iterable[str]) -> set[str]:
    """The groups without values in the run."""
    return {name for name in groups if not _has(run, name)}


def read_values(run: RunTables, groups: Iterable[str]) -> dict[str, DataFrame]:
    """The tables with the values of feature groups, by the name of the table.

    Raises:
        ConfigError: an unknown group.
        InputError: the run lacks the values of a group.
    """
    wanted = list(groups)
    missing = missing_groups(run, wanted)
    if missing:
        raise InputError(
            f"run {run.record.run_id} has no values of {', '.join(sorted(missing))}",
            f"compute them first: cqa featurize --run-id {run.record.run_id} --groups {' '.join(sorted(missing))}",
        )
    return {table.name: run.read(table) for table in tables_of(wanted)}


def _has(run: RunTables, name: str) -> bool:
    (table,) = tables_of([name])
    return run.has(table) and name in run.stored_columns(table)
