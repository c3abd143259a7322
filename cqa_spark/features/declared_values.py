"""Checks the values of a group against its declared columns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cqa_spark.errors import ContractError
from cqa_spark.features.group import FeatureGroup


def declared_values(group: FeatureGroup, found: Mapping[str, ArrayLike], rows: int) -> NDArray[np.float64]:
    """The values of a group, in the order of its columns.

    Args:
        group: the group.
        found: the computed values by column.
        rows: number of examples, or moments.

    Returns:
        Shape (rows, columns); NaN where a value is unknown.

    Raises:
        ContractError: the columns differ from the declaration, or a column has the wrong number of values.
    """
    names = [column.name for column in group.columns]
    if set(found) != set(names):
        wrong = ", ".join(sorted(set(found) ^ set(names)))
        raise ContractError(
            f"feature group {group.name}: computed and declared columns differ: {wrong}", "make both agree"
        )
    values = [np.asarray(found[name], dtype=np.float64) for name in names]
    if any(each.shape != (rows,) for each in values):
        raise ContractError(f"feature group {group.name} did not return one value per example", "fill in NaN")
    return np.stack(values).T  # in memory column by column, as Arrow reads them
