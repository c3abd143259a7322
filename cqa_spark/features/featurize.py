"""Fits feature groups and computes their values, in training and for saved models."""

from collections.abc import Iterable, Mapping
from typing import cast

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError
from cqa_spark.features.author_pass import compute_authors
from cqa_spark.features.group import AuthorGroup, FeatureGroup, LearningGroup, QueryGroup
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
            return cast(
                Fitted[FeatureGroup], group.fit(training) if issubclass(group, LearningGroup) else Fitted(group())
            )

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
