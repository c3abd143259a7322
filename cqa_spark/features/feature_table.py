"""The table of feature values: for each pass one row per example, with one struct per feature group.

Rankers are fitted on its groups' columns, joined to the examples: ``assemble``.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError, InputError
from cqa_spark.features.arrays import Mask, Reals
from cqa_spark.features.group import FeatureColumn, FeatureGroup, PassKey
from cqa_spark.features.registry import group_class
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import Table, required

KEY = ("site", "query_id", "candidate_id")

PASS_KEY = required("pass_key", "string", "key of the pass that computed the row: query or author")


def feature_table(groups: Iterable[type[FeatureGroup]]) -> Table:
    """The table with the values of the given groups; a group is null in the rows of the other pass."""
    structs = [T.StructField(group.name, values_type(group), True, {"comment": group.about}) for group in groups]
    return Table(
        "features",
        "Features of each example; a struct for each feature group, its fields null where a value is not known.",
        (SITE, QUERY_ID, CANDIDATE_ID, PASS_KEY, *structs),
        key=(*KEY, PASS_KEY.name),
        partition_by=("site", PASS_KEY.name),
        varies=True,
    )


def tables_of(groups: Iterable[str]) -> tuple[Table, ...]:
    """The table with the values of feature groups, declared with the columns of these groups; none without groups.

    Raises:
        ConfigError: an unknown group.
    """
    classes = [group_class(name) for name in groups]
    return (feature_table(classes),) if classes else ()


def by_pass(groups: Iterable[type[FeatureGroup]]) -> dict[PassKey, list[type[FeatureGroup]]]:
    """The groups of each pass that has any."""
    members: dict[PassKey, list[type[FeatureGroup]]] = {pass_key: [] for pass_key in PassKey}
    for group in groups:
        members[group.pass_key].append(group)
    return {pass_key: of_pass for pass_key, of_pass in members.items() if of_pass}


# Values of a pass, as rows of the table.


def values_type(group: type[FeatureGroup]) -> T.StructType:
    """The type of a group's column: a struct with one double per feature."""
    return T.StructType(
        [
            T.StructField(column.name, T.DoubleType(), True, {"comment": f"{column.about} ({column.source})"})
            for column in group.columns
        ]
    )


def pass_type(groups: Mapping[str, FeatureGroup]) -> T.StructType:
    """The rows of a pass: the key, and the struct of each group."""
    keys = [T.StructField(name, T.StringType(), False) for name in KEY]
    return T.StructType([*keys, *[T.StructField(name, values_type(type(group))) for name, group in groups.items()]])


def declared_values(group: FeatureGroup, computed: Mapping[str, ArrayLike], rows: int) -> Reals:
    """The values of a group, in the order of its columns.

    Args:
        group: the group.
        computed: the values by column.
        rows: number of examples, or moments.

    Returns:
        Shape (rows, columns); NaN where a value is unknown.

    Raises:
        ContractError: the columns differ from the declaration, or a column has the wrong number of values.
    """
    names = [column.name for column in group.columns]
    if set(computed) != set(names):
        wrong = ", ".join(sorted(set(computed) ^ set(names)))
        raise ContractError(
            f"feature group {group.name}: computed and declared columns differ: {wrong}", "make both agree"
        )
    columns = [np.asarray(computed[name], dtype=np.float64) for name in names]
    if any(column.shape != (rows,) for column in columns):
        raise ContractError(f"feature group {group.name} did not return one value per example", "fill in NaN")
    return np.stack(columns).T  # in memory column by column, as Arrow reads them


def values_struct(values: Reals, of_group: pa.StructType, is_null: Mask | None = None) -> pa.StructArray:
    """The values of a group as its column.

    Args:
        values: shape (rows, features); NaN where unknown, which becomes null.
        of_group: the Arrow type of the column.
        is_null: whether the group is null as a whole, for each row; None for no such rows.
    """
    rows, features = values.shape
    flat = pa.array(values.ravel(order="F"), pa.float64(), from_pandas=True)  # one call is faster than one a feature
    columns = [flat.slice(feature * rows, rows) for feature in range(features)]
    return pa.StructArray.from_arrays(
        columns, fields=list(of_group), mask=None if is_null is None else pa.array(is_null)
    )


def rows_of_passes(values: Mapping[PassKey, DataFrame]) -> DataFrame:
    """The rows of the table.

    Args:
        values: by pass, the key and a struct for each group; at least one pass.
    """
    rows = [frame.withColumn(PASS_KEY.name, F.lit(pass_key.value)) for pass_key, frame in values.items()]
    return reduce(lambda table, more: table.unionByName(more, allowMissingColumns=True), rows)


# Values that a run has stored.


def stored_groups(run: RunTables) -> list[type[FeatureGroup]]:
    """The groups with values in the run."""
    table = feature_table(())
    if not run.has(table):
        return []
    return [group_class(name) for name in run.stored_columns(table) if name not in table.key]


def missing_groups(run: RunTables, groups: Iterable[str]) -> set[str]:
    """The groups without values in the run."""
    missing = set()
    for name in groups:
        (table,) = tables_of([name])
        if not run.has(table) or name not in run.stored_columns(table):
            missing.add(name)
    return missing


def read_values(run: RunTables, groups: Iterable[str]) -> dict[PassKey, DataFrame]:
    """The values of feature groups by pass: the key, and a struct for each group.

    Raises:
        ConfigError: an unknown group.
        InputError: the run lacks the values of a group.
    """
    names = list(groups)
    missing = missing_groups(run, names)
    if missing:
        stored = [group.name for group in stored_groups(run)]
        raise InputError(
            f"run {run.record.run_id} has no values of {', '.join(sorted(missing))}",
            "compute them first, together with the groups that the run has, whose values are replaced: cqa featurize "
            f"--run-id {run.record.run_id} --task TASK --groups {' '.join(sorted({*names, *stored}))}",
        )
    values = {}
    for pass_key, members in by_pass(map(group_class, names)).items():
        rows = run.read(feature_table(members)).where(F.col(PASS_KEY.name) == pass_key.value)
        values[pass_key] = rows.select(*KEY, *[group.name for group in members])
    return values


# The values joined to the examples: the table on which rankers are fitted.


def feature_names(groups: Iterable[str]) -> tuple[str, ...]:
    """The feature columns that ``assemble`` adds, ``{group}__{column}``, in order of groups, then columns."""
    return tuple(name for name, _ in _columns(groups))


def times(groups: Iterable[str]) -> frozenset[str]:
    """The names among ``feature_names`` whose columns are times."""
    return frozenset(name for name, column in _columns(groups) if column.is_time)


def _columns(groups: Iterable[str]) -> Iterator[tuple[str, FeatureColumn]]:
    for group in map(group_class, groups):
        for column in group.columns:
            yield f"{group.name}__{column.name}", column


def assemble(examples: DataFrame, groups: Iterable[str], values: Mapping[PassKey, DataFrame]) -> DataFrame:
    """Join the groups' values to the examples.

    Args:
        examples: the examples table.
        groups: names of the groups.
        values: of the groups by pass, as ``read_values`` returns them.

    Returns:
        One row per example: its columns, then one double per feature. Unknown values are replaced by the ``missing``
        value of their column, so no feature is null.

    Raises:
        ConfigError: an unknown group.
    """
    names = tuple(groups)
    joined = examples
    # SQL, which Python passes to Java in one call: with a Column per feature, the calls take longer than the query.
    for pass_key, members in by_pass(map(group_class, names)).items():
        features = [
            f"`{group.name}`.`{column.name}` AS `{group.name}__{column.name}`"
            for group in members
            for column in group.columns
        ]
        joined = joined.join(values[pass_key].selectExpr(*KEY, *features), on=list(KEY), how="left")
    filled = [f"coalesce(nanvl(`{name}`, null), {column.missing!r}D) AS `{name}`" for name, column in _columns(names)]
    return joined.selectExpr(*[f"`{name}`" for name in examples.columns], *filled)
