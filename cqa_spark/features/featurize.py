"""Fits feature groups and computes their values, in training and for saved models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError
from cqa_spark.features.author_pass import compute_authors
from cqa_spark.features.feature_table import KEY
from cqa_spark.features.group import AuthorGroup, FeatureGroup, FittedAuthorGroup, FittedQueryGroup, QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_queries
from cqa_spark.features.training_data import Fitted, training_data
from cqa_spark.spark.concurrency import run_concurrently

NO_FOLDS = 0
"""Number of folds if no example belongs to the training data."""


def fit_groups(
    groups: Iterable[type[FeatureGroup]], inputs: FeatureInputs, *, folds: int
) -> dict[str, Fitted[FeatureGroup]]:
    """Fit the groups that learn on the training examples; instantiate the others.

    Args:
        groups: the group classes from the registry.
        inputs: labelled examples of all splits, and their tables.
        folds: number of folds for groups that learn from labels.

    Raises:
        ContractError: fewer than two folds.
    """
    if folds < 2:
        raise ContractError(f"cross-fitting with {folds} folds leaves no training data", "use at least 2 folds")
    with training_data(inputs, folds) as training:

        def fit(group: type[FeatureGroup]) -> Fitted[FeatureGroup]:
            if issubclass(group, FittedQueryGroup):
                return cast(Fitted[FeatureGroup], group.fit(training))
            return Fitted(group.fit(training) if issubclass(group, FittedAuthorGroup) else group())

        chosen = list(groups)
        return {group.name: fitted for group, fitted in zip(chosen, run_concurrently(fit, chosen), strict=True)}


def compute_place(groups: Mapping[str, Fitted[FeatureGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples in one pass.

    Args:
        groups: by name; all of one place. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting, or ``NO_FOLDS``.

    Returns:
        One row per example: its key, then one struct per group, with null fields where a value is unknown.
    """
    of_authors = {name: each.on_all for name, each in groups.items() if isinstance(each.on_all, AuthorGroup)}
    if of_authors:
        return compute_authors(of_authors, inputs)
    return compute_queries(cast(Mapping[str, Fitted[QueryGroup]], groups), inputs, folds)


def compute_outside_training(groups: Mapping[str, FeatureGroup], inputs: FeatureInputs) -> DataFrame:
    """The values of examples outside the training data, as ``compute_place`` returns them."""
    return compute_place({name: Fitted(group) for name, group in groups.items()}, inputs, NO_FOLDS)


def fit_and_compute(
    group_class: type[FeatureGroup], inputs: FeatureInputs, *, folds: int
) -> tuple[FeatureGroup, DataFrame]:
    """Fit one group on the training examples, where it learns, and compute the values of all examples.

    Args:
        group_class: the group class from the registry.
        inputs: labelled examples of all splits, and their tables.
        folds: number of folds for a group that learns from labels.

    Returns:
        The group fitted on all training data, and its values: keys, then one column per feature.

    Raises:
        ContractError: fewer than two folds, or values that differ from the group's declaration.
    """
    fitted = fit_groups([group_class], inputs, folds=folds)
    values = compute_place(fitted, inputs, folds)
    return fitted[group_class.name].on_all, values.select(*KEY, f"{group_class.name}.*")


def compute_values(group: FeatureGroup, inputs: FeatureInputs) -> DataFrame:
    """Values of a group for examples outside its training data, such as new questions for a saved model.

    Args:
        group: a group that needs no fitting, or one returned by ``fit_and_compute`` or ``load``.
        inputs: the examples and their tables; labels are not used.

    Returns:
        The values: keys, then one column per feature.
    """
    return compute_outside_training({group.name: group}, inputs).select(*KEY, f"{group.name}.*")
