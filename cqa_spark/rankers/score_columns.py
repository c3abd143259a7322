"""Functions of arrays of scores, applied to a column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pyspark.sql import Column
from pyspark.sql import functions as F


def apply_to(column: str, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Column:
    """Apply a vectorised function to a column of doubles, batch by batch."""

    def apply(scores: pd.Series) -> pd.Series:
        return pd.Series(function(scores.to_numpy()))

    return F.pandas_udf(apply, "double")(F.col(column))  # type: ignore[call-overload]
