"""Refits feature groups that learn from labels on fewer examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame

from cqa_spark.features.feature_table import KEY
from cqa_spark.features.featurize import compute_place, fit_groups
from cqa_spark.features.group import Place, learns_from_labels
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class


def refitted(
    groups: Iterable[str], inputs: FeatureInputs, stored: Mapping[Place, DataFrame], folds: int
) -> dict[Place, DataFrame]:
    """The values of groups, with groups that learn from labels refitted on the given examples only.

    Args:
        groups: names; groups that do not learn from labels are unchanged.
        inputs: groups are fitted on the training split; values are computed for all examples.
        stored: by pass, the values of all groups.
        folds: folds of the cross-fitting.
    """
    learning = [found for found in map(group_class, groups) if learns_from_labels(found)]
    if not learning:
        return {}
    values = compute_place(fit_groups(learning, inputs, folds=folds), inputs, folds)
    others = stored[Place.QUERY].drop(*[found.name for found in learning])
    return {Place.QUERY: others.join(values, on=list(KEY))}
