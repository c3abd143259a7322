"""Makes the columns of a feature group from one function per feature."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

import numpy as np

from cqa_spark.features.arrays import ABSENT, Reals
from cqa_spark.features.group import FeatureColumn
from cqa_spark.features.query_batch import QueryBatch

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


def tabulate(
    features: Mapping[FeatureColumn, Callable[[Thing], float]],
    keys: Iterable[Key | None],
    read: Callable[[Key], Thing],
) -> dict[str, Reals]:
    """Compute every feature once per distinct key, and look the values up for each example.

    Args:
        features: each feature with the function that computes it.
        keys: the key of each example, such as the index of its candidate's text; None for unknown values.
        read: maps a key to the argument of the functions.

    Returns:
        One value per example for each feature; NaN where the key is None.
    """
    rows: dict[Key | None, list[float]] = {None: [np.nan] * len(features)}
    functions = list(features.values())
    of_examples = []
    for key in keys:
        if key not in rows:
            thing = read(key)  # type: ignore[arg-type]  # None is in rows
            rows[key] = [function(thing) for function in functions]
        of_examples.append(rows[key])
    values = np.array(of_examples, dtype=np.float64).reshape(-1, len(features))
    return {feature.name: values[:, place] for place, feature in enumerate(features)}


def candidate_texts(batch: QueryBatch) -> list[int | None]:
    """The index of each candidate's text; None without a text."""
    return [None if index == ABSENT else index for index in batch.candidate_text.tolist()]
