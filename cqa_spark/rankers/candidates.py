"""Candidates in memory, with their features: the input of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.lake.schemas.examples import QUERY


@dataclass(frozen=True)
class Candidates:
    """Some candidates with their features.

    Attributes:
        examples: columns of the table ``examples``, one row per candidate, and the words if the model reads texts. If
            the model compares candidates, queries are complete and sorted by candidate id.
        features: names of the features.
        values: shape (candidates, features); finite.
    """

    examples: pa.Table
    features: Sequence[str]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return int(self.examples.num_rows)

    def of(self, features: Sequence[str]) -> NDArray[np.float64]:
        """The values of the given features, in order; sums are reproducible because each row is contiguous."""
        if tuple(features) == tuple(self.features):
            return self.values
        places = {name: place for place, name in enumerate(self.features)}
        return np.take(self.values, [places[name] for name in features], axis=1)

    def add(self, features: Sequence[str], values: NDArray[np.float64]) -> Candidates:
        """The candidates with additional features."""
        return replace(self, features=(*self.features, *features), values=np.hstack([self.values, values]))

    def where(self, chosen: NDArray[np.bool_]) -> Candidates:
        """Some of the candidates, in order; ``chosen`` has the shape (candidates,)."""
        return replace(self, examples=self.examples.filter(pa.array(chosen)), values=self.values[chosen])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The index of the first candidate of each query."""
        columns = [self.examples.column(name).to_numpy() for name in QUERY]
        changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
        return np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int64)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of candidates of each query."""
        return np.diff(self.starts, append=len(self))
