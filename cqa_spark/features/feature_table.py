"""The table of feature values: for each pass one row per example, with one struct per feature group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.features.group import FeatureGroup, Place
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID
from cqa_spark.lake.table import Table, column

KEY = ("site", "query_id", "candidate_id")


def values_type(group: type[FeatureGroup]) -> T.StructType:
    """The type of a group's column: a struct with one double per feature."""
    return T.StructType(
        [T.StructField(c.name, T.DoubleType(), True, {"comment": f"{c.about} ({c.source})"}) for c in group.columns]
    )


PLACE = column("place", "string", "pass that computed the row: query or author", nullable=False)


def feature_table(groups: Iterable[type[FeatureGroup]]) -> Table:
    """The table with the values of the given groups; a group is null in the rows of the other pass."""
    values = [T.StructField(each.name, values_type(each), True, {"comment": each.about}) for each in groups]
    return Table(
        "features",
        "Features of each example; a struct for each feature group, its fields null where a value is not known.",
        (SITE, QUERY_ID, CANDIDATE_ID, PLACE, *values),
        key=(*KEY, PLACE.name),
        partition_by=("site", PLACE.name),
        varies=True,
    )


def rows_of_places(values: Mapping[Place, DataFrame]) -> DataFrame:
    """The rows of the table.

    Args:
        values: by pass, the key and a struct for each group; at least one pass.
    """
    rows = [frame.withColumn(PLACE.name, F.lit(place.value)) for place, frame in values.items()]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), rows)


def of_place(rows: DataFrame, place: Place, groups: Iterable[type[FeatureGroup]]) -> DataFrame:
    """The key and the values of groups of one pass."""
    return rows.where(F.col(PLACE.name) == place.value).select(*KEY, *[group.name for group in groups])
