"""Feature groups that learn from labels, fitted anew on fewer examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame

from cqa_spark.features.feature_table import KEY, table_name
from cqa_spark.features.featurize import compute_place, fit_and_compute, fit_example_groups
from cqa_spark.features.group import Place, QueryGroup, TableGroup, learns_from_labels
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class


def refitted(
    groups: Iterable[str], inputs: FeatureInputs, tables: Mapping[str, DataFrame], folds: int
) -> dict[str, DataFrame]:
    """The tables of values in which groups that learn from labels have learned from these examples alone.

    Args:
        groups: names; those that learn from no labels are left alone.
        inputs: what the groups learn from is their training part; values are computed for all examples.
        tables: by name, the values of all groups.
        folds: folds of the cross-fitting.
    """
    learning = [found for found in map(group_class, groups) if learns_from_labels(found)]
    of_queries = [found for found in learning if issubclass(found, QueryGroup)]
    of_tables = [found for found in learning if issubclass(found, TableGroup)]
    again = {found.table().name: fit_and_compute(found, inputs, folds=folds)[1] for found in of_tables}
    if of_queries:
        values = compute_place(fit_example_groups(of_queries, inputs, folds=folds), inputs, folds)
        name = table_name(Place.QUERY)
        others = tables[name].drop(*[found.name for found in of_queries])
        again[name] = others.join(values, on=list(KEY))
    return again
