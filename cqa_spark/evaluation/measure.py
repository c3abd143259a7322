"""The interface of measures: additive components per query, and the measure as a function of their sums.

Every measure is computed once per query, as ``components``. Components add up, so one computation serves the score of
a file, of a Spark table, of a bootstrap resample and of a permutation.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from cqa_spark.evaluation.ranked_query import RankedQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Sum = TypeVar("Sum", float, "NDArray[np.float64]")
"""A sum over queries, or an array of such sums, one an entry for every resample: the same arithmetic serves both."""


def parameter(default: int, about: str) -> Any:
    """Declare a parameter of a measure, with its default and its help."""
    return dataclasses.field(default=default, metadata={"about": about})


@dataclasses.dataclass(frozen=True)
class Measure(ABC):
    """A measure of rankings; its dataclass fields are its parameters, declared by ``parameter``.

    Attributes:
        name: written name, without parameters.
        about: description, one sentence.
        source: publication that defines it.
        uses_scores: whether it depends on the scores themselves, not on the order alone.
        has_query_values: whether a single query has a value; a correlation over queries has none.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    uses_scores: ClassVar[bool] = False
    has_query_values: ClassVar[bool] = True

    @classmethod
    def parameters(cls) -> tuple[dataclasses.Field[Any], ...]:
        """The declared parameters: name, type, default, and help in ``metadata["about"]``."""
        return dataclasses.fields(cls)

    @abstractmethod
    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """What one query adds to the sums; as many numbers for every query."""

    @abstractmethod
    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """The measure over a set of queries, a fraction.

        Args:
            sums: each component summed over the queries.
            queries: how many queries were summed.
        """

    def on_one_scale(self, components: NDArray[np.float64]) -> NDArray[np.float64]:
        """The components of systems whose scores have different scales, as they are on one scale.

        Paired tests swap the components of two systems. The measure of each system stays the same.

        Args:
            components: shape (..., queries, components); the queries of each system are all there.
        """
        return components

    def value(self, query: RankedQuery) -> float:
        """The measure of one query alone, a fraction."""
        return self.aggregate(self.components(query), 1)

    def total(self, components: Iterable[Sequence[float]]) -> float:
        """The measure over the queries with these components; the same to the last digit in every order of queries."""
        rows = list(components)
        return self.aggregate([math.fsum(column) for column in zip(*rows, strict=True)], len(rows))

    def __str__(self) -> str:
        """The written name with its parameters, such as ``MAP@10``."""
        return self.name + "".join(f"@{getattr(self, field.name)}" for field in self.parameters())


class MeanMeasure(Measure):
    """A measure of a set of queries that is the mean of the queries' own values; a query without a hit counts too."""

    @abstractmethod
    def value(self, query: RankedQuery) -> float:
        """The measure of one query alone, a fraction."""

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The query's own value."""
        return (self.value(query),)

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """The mean over all queries."""
        return sums[0] / queries


class RatioMeasure(Measure):
    """A measure that counts candidates over all queries and divides once (micro-average); components: part, whole."""

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """The share of the parts in the wholes; 0 without candidates."""
        part, whole = sums
        return ratio(part, whole)


def ratio(part: Sum, whole: Sum) -> Sum:
    """Part by whole, 0 where the whole is 0: the part is 0 there too, so any other denominator serves."""
    denominator: Sum = whole + (whole == 0)
    return part / denominator
