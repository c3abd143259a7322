"""Joins the values of feature groups to the examples: the table on which rankers are fitted."""

from collections.abc import Iterable, Iterator, Mapping

from pyspark.sql import DataFrame

from cqa_spark.features.feature_table import KEY, by_place
from cqa_spark.features.group import FeatureColumn, FeatureGroup, Place
from cqa_spark.features.registry import group_class


def feature_names(groups: Iterable[str]) -> tuple[str, ...]:
    """The feature columns that ``assemble`` adds, ``{group}__{column}``, in order of groups, then columns."""
    return tuple(name for name, _ in _columns(groups))


def times(groups: Iterable[str]) -> frozenset[str]:
    """The names among ``feature_names`` whose columns are times."""
    return frozenset(name for name, column in _columns(groups) if column.is_time)


def assemble(examples: DataFrame, groups: Iterable[str], values: Mapping[Place, DataFrame]) -> DataFrame:
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
    for place, members in by_place(map(group_class, names)).items():
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
