"""Makes the columns of a feature group from the values of distinct keys, such as texts."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

import numpy as np

from cqa_spark.features.arrays import ABSENT, Reals
from cqa_spark.features.group import FeatureColumn
from cqa_spark.features.query_batch import QueryBatch

Key = TypeVar("Key", bound=Hashable)


def tabulate(
    columns: Iterable[FeatureColumn], keys: Iterable[Key | None], read: Callable[[Key], Mapping[str, float]]
) -> dict[str, Reals]:
    """Compute the values of every distinct key once, and look them up for each example.

    Args:
        columns: the columns.
        keys: the key of each example, such as the index of its candidate's text; None for unknown values.
        read: the values of a key, by the name of the column.

    Returns:
        One value per example for each column; NaN where the key is None.
    """
    names = [column.name for column in columns]
    rows: dict[Key | None, list[float]] = {None: [np.nan] * len(names)}
    of_examples = []
    for key in keys:
        if key not in rows:
            values = read(key)  # type: ignore[arg-type]  # None is in rows
            rows[key] = [values[name] for name in names]
        of_examples.append(rows[key])
    return dict(zip(names, np.array(of_examples, dtype=np.float64).reshape(-1, len(names)).T, strict=True))


def candidate_texts(batch: QueryBatch) -> list[int | None]:
    """The index of each candidate's text; None without a text."""
    return [None if index == ABSENT else index for index in batch.candidate_text.tolist()]
