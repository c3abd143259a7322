"""What training examples need: features, numbers in them, and both classes."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError, InputError
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.model import TrainingCounts


def features_to_learn_from(frame: DataFrame) -> tuple[str, ...]:
    """The feature columns of a frame.

    Raises:
        ContractError: there are none.
    """
    features = feature_columns(frame)
    if not features:
        raise ContractError("there are no features to learn from", "name feature groups in the system's file")
    return features


def require_numbers(bad: Sequence[str]) -> None:
    """Refuse training examples with values that are not numbers.

    Args:
        bad: features that are null, NaN or infinite somewhere.

    Raises:
        ContractError: there are such features.
    """
    if bad:
        raise ContractError(
            f"features that are null, NaN or infinite in the training examples: {', '.join(bad)}",
            "let the feature group declare a value for missing data",
        )


def require_both_classes(counts: TrainingCounts) -> None:
    """Refuse training examples that do not have both classes.

    Raises:
        InputError: no example has a label, none is relevant, or all are.
    """
    if counts.rows == 0:
        problem = f"none of the {counts.unlabelled} training examples has a label"
    elif counts.relevant == 0:
        problem = f"none of the {counts.rows} labelled training examples is relevant"
    elif counts.relevant == counts.rows:
        problem = f"all {counts.rows} labelled training examples are relevant"
    else:
        return
    raise InputError(problem, "give training files that hold both relevant and other candidates, with their labels")
