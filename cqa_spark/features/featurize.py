"""The step from tables to one group's values, for training and for saved models."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cqa_spark.features.cross_fitting import cross_fit
from cqa_spark.features.group import FeatureGroup, FittedFeatureGroup
from cqa_spark.features.inputs import FeatureInputs


def fit_and_compute(
    group_class: type[FeatureGroup], inputs: FeatureInputs, *, folds: int
) -> tuple[FeatureGroup, DataFrame]:
    """Fit a group on the training examples, where it learns, and compute the values of all examples.

    Args:
        group_class: the group, as the registry gives it.
        inputs: examples of all splits, with labels, and the tables beside them.
        folds: number of folds that a group which learns from labels is cross-fitted with.

    Returns:
        The group as fitted on the whole training part, and the declared table of its values.

    Raises:
        ContractError: fewer than two folds, or values that are not as the group declares.
    """
    if issubclass(group_class, FittedFeatureGroup):
        return cross_fit(group_class, inputs, folds)
    group = group_class()
    return group, compute_values(group, inputs)


def compute_values(group: FeatureGroup, inputs: FeatureInputs) -> DataFrame:
    """Values of examples that the group was not fitted on, such as new questions for a saved model.

    Args:
        group: a plain group, or a fitted one that ``fit_and_compute`` or its ``load`` gave.
        inputs: the examples and the tables beside them; the group never sees the labels.

    Returns:
        The declared table of values.
    """
    return group.table().conform(group.compute(inputs.without_labels()))
