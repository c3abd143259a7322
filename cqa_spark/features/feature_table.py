"""The table that a pass writes: one row per example, one struct per feature group."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import types as T

from cqa_spark.features.group import FeatureGroup, Place
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID
from cqa_spark.lake.table import Table

KEY = ("site", "query_id", "candidate_id")


def values_type(group: type[FeatureGroup]) -> T.StructType:
    """The type of a group's column: a struct with one double per feature."""
    return T.StructType(
        [T.StructField(c.name, T.DoubleType(), True, {"comment": f"{c.about} ({c.source})"}) for c in group.columns]
    )


def table_name(place: Place) -> str:
    """The name of the table with the values of a pass."""
    return f"{place.value}_features"


def feature_table(place: Place, groups: Iterable[type[FeatureGroup]]) -> Table:
    """The table of a pass, with columns for the given groups."""
    values = [T.StructField(each.name, values_type(each), True, {"comment": each.about}) for each in groups]
    about = "Features of each example; a struct for each feature group, its fields null where a value is not known."
    return Table(table_name(place), about, (SITE, QUERY_ID, CANDIDATE_ID, *values), key=KEY, varies=True)
