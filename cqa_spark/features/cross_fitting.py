"""Cross-fitting: how a group that learns from labels gives values to the very examples it learns from.

A training example's values come from a model of the other folds; every other example's come from the model of the whole
training part. All examples of one ``fold_key`` (a thread and its repeats) are in one fold, so no label, not even one
that another copy of the thread carries, has a part in its own example's features. This is out-of-fold stacking
(Wolpert 1992, Stacked generalization). Rankers that learn from other rankers' scores use the same folds.
"""

from __future__ import annotations

from functools import reduce
from typing import TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import FittedTableGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.spark.concurrency import run_concurrently

Group = TypeVar("Group", bound=FittedTableGroup)


def cross_fit(group_class: type[Group], inputs: FeatureInputs, folds: int) -> tuple[Group, DataFrame]:
    """Fit a group and give values to all examples, none of which its own fold's labels had a part in.

    Args:
        group_class: the group; one that does not learn from labels is fitted once, on the whole training part.
        inputs: examples of all splits, labels included, and the tables beside them.
        folds: number of folds, at least 2.

    Returns:
        The group as fitted on the whole training part, and the declared table of values.

    Raises:
        ContractError: fewer than two folds.
    """
    if folds < 2:
        raise ContractError(f"{folds} folds leave nothing to learn from", "use at least 2 folds")
    training = inputs.keep_examples(_is_training())
    if not group_class.learns_from_labels:
        unsupervised = group_class().fit(training.without_labels())
        return unsupervised, _values(unsupervised, inputs)
    held_out = [fold_of(folds) == fold for fold in range(folds)]
    rests = [training.keep_examples(~part) for part in held_out]

    def fit(part: FeatureInputs) -> Group:
        return group_class().fit(part)

    fitted, *fitted_on_rests = run_concurrently(fit, [training, *rests])
    values = [
        _values(of_rest, training.keep_examples(part)) for of_rest, part in zip(fitted_on_rests, held_out, strict=True)
    ]
    return fitted, reduce(DataFrame.unionByName, values, _values(fitted, inputs.keep_examples(~_is_training())))


def _values(fitted: FittedTableGroup, inputs: FeatureInputs) -> DataFrame:
    return fitted.table().conform(fitted.compute(inputs.without_labels()))


def _is_training() -> Column:
    return F.col("split") == "train"
