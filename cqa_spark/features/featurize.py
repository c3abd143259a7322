"""From tables to the values of feature groups, for training and for saved models."""

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
"""Instead of a number of folds: no example is part of the training data."""


def fit_groups(
    groups: Iterable[type[FeatureGroup]], inputs: FeatureInputs, *, folds: int
) -> dict[str, Fitted[FeatureGroup]]:
    """Fit the groups that learn on the training examples; others are simply made.

    Args:
        groups: the groups, as the registry gives them.
        inputs: examples of all splits, with labels, and the tables beside them.
        folds: number of folds for groups that learn from labels.

    Raises:
        ContractError: fewer than two folds.
    """
    if folds < 2:
        raise ContractError(f"{folds} folds leave nothing to learn from", "use at least 2 folds")
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
        groups: by name; all of one place. A training example gets values that the labels of its own fold had no part
            in.
        inputs: the tables; labels are not looked at.
        folds: number of folds that the groups were fitted with, or ``NO_FOLDS``.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    of_authors = {name: each.on_all for name, each in groups.items() if isinstance(each.on_all, AuthorGroup)}
    if of_authors:
        return compute_authors(of_authors, inputs)
    return compute_queries(cast(Mapping[str, Fitted[QueryGroup]], groups), inputs, folds)


def compute_outside_training(groups: Mapping[str, FeatureGroup], inputs: FeatureInputs) -> DataFrame:
    """The values of examples that the groups of a place were not fitted on, as ``compute_place`` gives them."""
    return compute_place({name: Fitted(group) for name, group in groups.items()}, inputs, NO_FOLDS)


def fit_and_compute(
    group_class: type[FeatureGroup], inputs: FeatureInputs, *, folds: int
) -> tuple[FeatureGroup, DataFrame]:
    """Fit one group on the training examples, where it learns, and compute the values of all examples.

    Args:
        group_class: the group, as the registry gives it.
        inputs: examples of all splits, with labels, and the tables beside them.
        folds: number of folds for a group that learns from labels.

    Returns:
        The group as fitted on the whole training part, and its values: keys, then a column per feature.

    Raises:
        ContractError: fewer than two folds, or values that are not as the group declares.
    """
    fitted = fit_groups([group_class], inputs, folds=folds)
    values = compute_place(fitted, inputs, folds)
    return fitted[group_class.name].on_all, values.select(*KEY, f"{group_class.name}.*")


def compute_values(group: FeatureGroup, inputs: FeatureInputs) -> DataFrame:
    """Values of examples that one group was not fitted on, such as new questions for a saved model.

    Args:
        group: a plain group, or a fitted one that ``fit_and_compute`` or its ``load`` gave.
        inputs: the examples and the tables beside them; the group never sees the labels.

    Returns:
        Its values: keys, then a column per feature.
    """
    return compute_outside_training({group.name: group}, inputs).select(*KEY, f"{group.name}.*")
