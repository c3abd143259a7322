"""Reads the stored values of feature groups from a run."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import feature_table, of_place
from cqa_spark.features.group import FeatureGroup, Place
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.lake.table import Table


def tables_of(groups: Iterable[str]) -> tuple[Table, ...]:
    """The table with the values of feature groups, declared with the columns of these groups; none without groups.

    Raises:
        ConfigError: an unknown group.
    """
    classes = [group_class(name) for name in groups]
    return (feature_table(classes),) if classes else ()


def by_place(groups: Iterable[type[FeatureGroup]]) -> dict[Place, list[type[FeatureGroup]]]:
    """The groups of each pass that has any."""
    wanted = list(groups)
    found = {place: [group for group in wanted if group.place is place] for place in Place}
    return {place: of_pass for place, of_pass in found.items() if of_pass}


def stored_groups(run: RunTables) -> list[type[FeatureGroup]]:
    """The groups with values in the run."""
    table = feature_table(())
    if not run.has(table):
        return []
    return [group_class(name) for name in run.stored_columns(table) if name not in table.key]


def missing_groups(run: RunTables, groups: Iterable[str]) -> set[str]:
    """The groups without values in the run."""
    return {name for name in groups if not _has(run, name)}


def read_values(run: RunTables, groups: Iterable[str]) -> dict[Place, DataFrame]:
    """The values of feature groups by pass: the key, and a struct for each group.

    Raises:
        ConfigError: an unknown group.
        InputError: the run lacks the values of a group.
    """
    wanted = list(groups)
    missing = missing_groups(run, wanted)
    if missing:
        stored = [group.name for group in stored_groups(run)]
        raise InputError(
            f"run {run.record.run_id} has no values of {', '.join(sorted(missing))}",
            "compute them first, together with the groups that the run has, whose values are replaced: cqa featurize "
            f"--run-id {run.record.run_id} --task TASK --groups {' '.join(sorted({*wanted, *stored}))}",
        )
    return {
        place: of_place(run.read(feature_table(found)), place, found)
        for place, found in by_place(map(group_class, wanted)).items()
    }


def _has(run: RunTables, name: str) -> bool:
    (table,) = tables_of([name])
    return run.has(table) and name in run.stored_columns(table)
