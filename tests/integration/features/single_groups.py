"""Values of one feature group, as its users get them together with those of others."""

from pyspark.sql import DataFrame

from cqa_spark.features.feature_table import KEY
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_outside_training, compute_pass, fit_groups


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
    values = compute_pass(fitted, inputs, folds)
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
