"""Checks training examples: features, finite values, and both classes."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError, InputError
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.model import TrainingCounts


def features_to_learn_from(frame: DataFrame) -> tuple[str, ...]:
    """The feature columns of a frame.

    Raises:
        ContractError: there are no features.
    """
    features = feature_columns(frame)
    if not features:
        raise ContractError("no features to train on", "name feature groups in the system's file")
    return features


def require_numbers(bad: Sequence[str]) -> None:
    """Refuse training examples with values that are not numbers.

    Args:
        bad: features with null, NaN or infinite values.

    Raises:
        ContractError: there are such features.
    """
    if bad:
        raise ContractError(
            f"features that are null, NaN or infinite in the training examples: {', '.join(bad)}",
            "declare a value for missing data in the feature group",
        )


def require_both_classes(counts: TrainingCounts) -> None:
    """Refuse training examples that lack a class.

    Raises:
        InputError: there are no examples, none has a label, none is relevant, or all are.
    """
    if counts.rows == counts.unlabelled == 0:
        problem = "there are no training examples"
    elif counts.rows == 0:
        problem = f"none of the {counts.unlabelled} training examples has a label"
    elif counts.relevant == 0:
        problem = f"none of the {counts.rows} labelled training examples is relevant"
    elif counts.relevant == counts.rows:
        problem = f"all {counts.rows} labelled training examples are relevant"
    else:
        return
    raise InputError(problem, "use training files with labels of both relevant and irrelevant candidates")
