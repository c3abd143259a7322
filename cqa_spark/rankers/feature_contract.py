"""The contract between a frame and a model: its feature columns, each a finite double."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError

SEPARATOR = "__"


def feature_columns(frame: DataFrame) -> tuple[str, ...]:
    """The columns named ``GROUP__COLUMN``, in the frame's order."""
    return tuple(name for name in frame.columns if SEPARATOR in name)


def require_features(frame: DataFrame, trained_on: Sequence[str], ranker: str) -> None:
    """Check that a frame has exactly the features that a model was trained on; their order does not matter.

    Raises:
        ContractError: names every feature that is missing, extra, or not a double.
    """
    types = {name: kind for name, kind in frame.dtypes if SEPARATOR in name}
    problems = [f"missing {name}" for name in trained_on if name not in types]
    problems += [f"extra {name}" for name in types if name not in trained_on]
    problems += [f"{name} is {kind}, not double" for name, kind in types.items() if kind != "double"]
    if problems:
        raise ContractError(
            f"the {ranker} model was trained on {len(trained_on)} features and is given {len(types)}: "
            f"{'; '.join(problems)}",
            "compute the feature groups that the system names, in the versions it was trained with, or train it again",
        )


def bad_features(features: Sequence[str]) -> Column:
    """Names of the features of a row that are null, NaN or infinite.

    One expression over an array: as many expressions as features would be more code than Spark compiles well.
    """
    checked = F.arrays_zip(F.array(*map(F.lit, features)).alias("name"), F.array(*map(F.col, features)).alias("value"))
    return F.transform(F.filter(checked, lambda feature: is_bad(feature["value"])), lambda feature: feature["name"])


def is_bad(value: Column) -> Column:
    """Whether a value is null, NaN or infinite."""
    return value.isNull() | F.isnan(value) | (F.abs(value) == float("inf"))
