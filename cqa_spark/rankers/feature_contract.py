"""The contract between a DataFrame and a model: feature columns that are finite doubles."""

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError

SEPARATOR = "__"


def feature_columns(frame: DataFrame) -> tuple[str, ...]:
    """The columns named ``GROUP__COLUMN``, in the frame's order."""
    return tuple(name for name in frame.columns if SEPARATOR in name)


def require_features(types: Mapping[str, str], trained_on: Sequence[str], ranker: str) -> None:
    """Check that columns contain exactly the features of a model, in any order.

    Args:
        types: Spark's name of the type of each column.
        trained_on: the features of the model.
        ranker: its name.

    Raises:
        ContractError: a feature is missing, extra, or not a double; all of them are listed.
    """
    types = {name: kind for name, kind in types.items() if SEPARATOR in name}
    problems = [f"missing {name}" for name in trained_on if name not in types]
    problems += [f"extra {name}" for name in types if name not in trained_on]
    problems += [f"{name} is {kind}, not double" for name, kind in types.items() if kind != "double"]
    if problems:
        raise ContractError(
            f"the {ranker} model was trained on {len(trained_on)} features and is given {len(types)}: "
            f"{'; '.join(problems)}",
            "compute the system's feature groups in the versions used for training, or train it again",
        )


def as_array(features: Sequence[str], kind: str = "double") -> Column:
    """The features of a row as one array, which Spark shuffles and converts faster than separate columns.

    SQL, which Python passes to Java in one call: with a Column per feature, the calls take longer than a small query.
    Values are converted before the array is built: Spark converts an array by an object for each value.

    Args:
        features: their columns, in the order of the array.
        kind: ``double`` or ``float``.
    """
    values = ", ".join(f"cast(`{name}` AS {kind})" for name in features)
    return F.expr(f"cast(array({values}) AS array<{kind}>)")  # the array of no features has another type


def bad_features(features: Sequence[str]) -> Column:
    """Names of the features of a row that are null, NaN or infinite.

    A single expression over an array, because one expression per feature generates more code than Spark can compile.
    """
    names = F.split(F.lit(",".join(features)), ",") if features else F.array()
    checked = F.arrays_zip(names.alias("name"), as_array(features).alias("value"))

    def is_bad(feature: Column) -> Column:
        value = feature["value"]
        return value.isNull() | F.isnan(value) | (F.abs(value) == float("inf"))

    return F.transform(F.filter(checked, is_bad), lambda feature: feature["name"])
