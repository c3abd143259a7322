"""The table of feature values: for each pass one row per example, with one struct per feature group."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import reduce
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError, InputError
from cqa_spark.features.arrays import ABSENT, Mask, Reals
from cqa_spark.features.group import FeatureColumn, FeatureGroup, PassKey
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import group_class
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import Table, required

KEY = ("site", "query_id", "candidate_id")


def values_type(group: type[FeatureGroup]) -> T.StructType:
    """The type of a group's column: a struct with one double per feature."""
    return T.StructType(
        [T.StructField(c.name, T.DoubleType(), True, {"comment": f"{c.about} ({c.source})"}) for c in group.columns]
    )


def pass_type(groups: Mapping[str, FeatureGroup]) -> T.StructType:
    """The rows of a pass: the key, and the struct of each group."""
    keys = [T.StructField(name, T.StringType(), False) for name in KEY]
    return T.StructType([*keys, *[T.StructField(name, values_type(type(group))) for name, group in groups.items()]])


def values_struct(values: Reals, of_group: pa.StructType, is_null: Mask | None = None) -> pa.StructArray:
    """The values of a group as its column.

    Args:
        values: shape (rows, features); NaN where unknown, which becomes null.
        of_group: the Arrow type of the column.
        is_null: whether the group is null as a whole, for each row; None for no such rows.
    """
    flat = pa.array(values.ravel(order="F"), pa.float64(), from_pandas=True)  # one call is faster than one a feature
    columns = [flat.slice(place * len(values), len(values)) for place in range(values.shape[1])]
    return pa.StructArray.from_arrays(
        columns, fields=list(of_group), mask=None if is_null is None else pa.array(is_null)
    )


PASS_KEY = required("place", "string", "pass that computed the row: query or author")


def feature_table(groups: Iterable[type[FeatureGroup]]) -> Table:
    """The table with the values of the given groups; a group is null in the rows of the other pass."""
    values = [T.StructField(each.name, values_type(each), True, {"comment": each.about}) for each in groups]
    return Table(
        "features",
        "Features of each example; a struct for each feature group, its fields null where a value is not known.",
        (SITE, QUERY_ID, CANDIDATE_ID, PASS_KEY, *values),
        key=(*KEY, PASS_KEY.name),
        partition_by=("site", PASS_KEY.name),
        varies=True,
    )


def rows_of_passes(values: Mapping[PassKey, DataFrame]) -> DataFrame:
    """The rows of the table.

    Args:
        values: by pass, the key and a struct for each group; at least one pass.
    """
    rows = [frame.withColumn(PASS_KEY.name, F.lit(place.value)) for place, frame in values.items()]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), rows)


def of_pass(rows: DataFrame, place: PassKey, groups: Iterable[type[FeatureGroup]]) -> DataFrame:
    """The key and the values of groups of one pass."""
    return rows.where(F.col(PASS_KEY.name) == place.value).select(*KEY, *[group.name for group in groups])


def tables_of(groups: Iterable[str]) -> tuple[Table, ...]:
    """The table with the values of feature groups, declared with the columns of these groups; none without groups.

    Raises:
        ConfigError: an unknown group.
    """
    classes = [group_class(name) for name in groups]
    return (feature_table(classes),) if classes else ()


def by_pass(groups: Iterable[type[FeatureGroup]]) -> dict[PassKey, list[type[FeatureGroup]]]:
    """The groups of each pass that has any."""
    wanted = list(groups)
    found = {place: [group for group in wanted if group.pass_key is place] for place in PassKey}
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


def read_values(run: RunTables, groups: Iterable[str]) -> dict[PassKey, DataFrame]:
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
        place: of_pass(run.read(feature_table(found)), place, found)
        for place, found in by_pass(map(group_class, wanted)).items()
    }


def _has(run: RunTables, name: str) -> bool:
    (table,) = tables_of([name])
    return run.has(table) and name in run.stored_columns(table)


def declared_values(group: FeatureGroup, found: Mapping[str, ArrayLike], rows: int) -> Reals:
    """The values of a group, in the order of its columns.

    Args:
        group: the group.
        found: the computed values by column.
        rows: number of examples, or moments.

    Returns:
        Shape (rows, columns); NaN where a value is unknown.

    Raises:
        ContractError: the columns differ from the declaration, or a column has the wrong number of values.
    """
    names = [column.name for column in group.columns]
    if set(found) != set(names):
        wrong = ", ".join(sorted(set(found) ^ set(names)))
        raise ContractError(
            f"feature group {group.name}: computed and declared columns differ: {wrong}", "make both agree"
        )
    values = [np.asarray(found[name], dtype=np.float64) for name in names]
    if any(each.shape != (rows,) for each in values):
        raise ContractError(f"feature group {group.name} did not return one value per example", "fill in NaN")
    return np.stack(values).T  # in memory column by column, as Arrow reads them


# Joins the values of feature groups to the examples: the table on which rankers are fitted.


def feature_names(groups: Iterable[str]) -> tuple[str, ...]:
    """The feature columns that ``assemble`` adds, ``{group}__{column}``, in order of groups, then columns."""
    return tuple(name for name, _ in _columns(groups))


def times(groups: Iterable[str]) -> frozenset[str]:
    """The names among ``feature_names`` whose columns are times."""
    return frozenset(name for name, column in _columns(groups) if column.is_time)


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
    for place, members in by_pass(map(group_class, names)).items():
        joined = joined.join(_features(members, values[place]), on=list(KEY), how="left")
    # SQL, which Python passes to Java in one call: with a Column per feature, the calls take longer than the query.
    filled = [f"coalesce(nanvl(`{name}`, null), {column.missing!r}D) AS `{name}`" for name, column in _columns(names)]
    return joined.selectExpr(*[f"`{name}`" for name in examples.columns], *filled)


def _columns(groups: Iterable[str]) -> Iterator[tuple[str, FeatureColumn]]:
    for found in map(group_class, groups):
        for column in found.columns:
            yield _feature(found, column), column


def _features(groups: Iterable[type[FeatureGroup]], values: DataFrame) -> DataFrame:
    renamed = [
        f"`{found.name}`.`{column.name}` AS `{_feature(found, column)}`" for found in groups for column in found.columns
    ]
    return values.selectExpr(*KEY, *renamed)


def _feature(found: type[FeatureGroup], column: FeatureColumn) -> str:
    return f"{found.name}__{column.name}"


# Makes the columns of a feature group from the values of distinct keys, such as texts.

Key = TypeVar("Key", bound=Hashable)


def tabulate(
    columns: Iterable[FeatureColumn], keys: Iterable[Key | None], read: Callable[[Key], Mapping[str, float]]
) -> dict[str, Reals]:
    """Compute the values of every distinct key once, and look them up for each example.

    Args:
        columns: the columns.
        keys: the key of each example, such as the index of its candidate's text; None for unknown values.
        read: the values of a key, by the name of the column.

    Returns:
        One value per example for each column; NaN where the key is None.
    """
    names = [column.name for column in columns]
    rows: dict[Key | None, list[float]] = {None: [np.nan] * len(names)}
    of_examples = []
    for key in keys:
        if key not in rows:
            values = read(key)  # type: ignore[arg-type]  # None is in rows
            rows[key] = [values[name] for name in names]
        of_examples.append(rows[key])
    return dict(zip(names, np.array(of_examples, dtype=np.float64).reshape(-1, len(names)).T, strict=True))


def candidate_texts(batch: QueryBatch) -> list[int | None]:
    """The index of each candidate's text; None without a text."""
    return [None if index == ABSENT else index for index in batch.candidate_text.tolist()]
