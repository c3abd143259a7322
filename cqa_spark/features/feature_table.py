"""The table of feature values: for each pass one row per example, with one struct per feature group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
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


def values_struct(
    values: NDArray[np.float64], of_group: pa.StructType, is_null: NDArray[np.bool_] | None = None
) -> pa.StructArray:
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
