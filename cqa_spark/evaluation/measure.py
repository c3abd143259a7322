"""The interface of measures: additive components per query, and the measure as a function of their sums.

Every measure is computed once per query, as ``components``. Components add up, so one computation serves the score of
a file, of a Spark table, of a bootstrap resample and of a permutation.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Candidate(NamedTuple):
    """A judged candidate of a query, as a system ranks it: the input of measures.

    Attributes:
        relevant: whether the task counts it as a hit.
        gain: graded relevance or similarity, 0 is none.
        predicted: whether the system predicts that it is relevant.
        score: the system's score; 0 if it is not ranked.
        judged: whether it has a judgment; without one, it is not relevant.
    """

    relevant: bool
    gain: float
    predicted: bool = False
    score: float = 0.0
    judged: bool = True


@dataclass(frozen=True)
class RankedQuery:
    """One query's judged candidates.

    Attributes:
        ranked: the candidates that the system ranked, best first.
        unranked: the judged candidates that it did not rank.
    """

    ranked: Sequence[Candidate]
    unranked: Sequence[Candidate] = ()

    @property
    def judged(self) -> list[Candidate]:
        """Every judged candidate, ranked or not."""
        return [*self.ranked, *self.unranked]

    @property
    def is_answerable(self) -> bool:
        """Whether it has a relevant candidate, ranked or not."""
        return any(candidate.relevant for candidate in self.judged)

    def hits(self, cutoff: int | None) -> list[bool]:
        """Whether there is a hit at rank 1, 2, ... up to the cutoff; shorter if fewer candidates are ranked.

        Without a cutoff, all ranks.
        """
        return [candidate.relevant for candidate in self.ranked[:cutoff]]


def on_unit_range(queries: Sequence[RankedQuery]) -> list[RankedQuery]:
    """The queries with scores and gains that were converted linearly to median 0 and range 1; constant ones are 0.

    Sums of squares then keep their digits for most candidates, however far away a few values are.

    Args:
        queries: all queries of one system.
    """
    ranked = [candidate for query in queries for candidate in query.ranked]
    score = _unit_range([candidate.score for candidate in ranked])
    gain = _unit_range([candidate.gain for candidate in ranked])
    return [
        RankedQuery(
            [candidate._replace(score=score(candidate.score), gain=gain(candidate.gain)) for candidate in query.ranked]
        )
        for query in queries
    ]


def _unit_range(values: Sequence[float]) -> Callable[[float], float]:
    lowest, middle, highest = (min(values), median_low(values), max(values)) if values else (0.0, 0.0, 0.0)
    # Halves, because the difference of two large numbers can exceed the largest one.
    width = highest / 2 - lowest / 2
    return lambda value: (value / 2 - middle / 2) / width if width else 0.0


Sum = TypeVar("Sum", float, "NDArray[np.float64]")
"""A sum over queries, or an array with one such sum per resample; the same arithmetic applies to both."""


def parameter(default: float, about: str) -> Any:
    """Declare a parameter of a measure, with its default and its help."""
    return dataclasses.field(default=default, metadata={"about": about})


@dataclasses.dataclass(frozen=True)
class Measure(ABC):
    """A measure of rankings; its dataclass fields are its parameters, declared by ``parameter``.

    Attributes:
        name: display name, without parameters.
        about: description, one sentence.
        source: publication that defines it.
        uses_scores: whether it depends on the scores, not only on the order.
        uses_labels: whether it depends on the predicted labels.
        has_query_values: whether a single query has a value; a correlation over queries has none.
        needs_relevant: whether it is undefined for a set of queries without a relevant candidate; its last component is
            then above 0 for queries with one.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    uses_scores: ClassVar[bool] = False
    uses_labels: ClassVar[bool] = False
    has_query_values: ClassVar[bool] = True
    needs_relevant: ClassVar[bool] = False

    @classmethod
    def parameters(cls) -> tuple[dataclasses.Field[Any], ...]:
        """The declared parameters: name, type, default, and help in ``metadata["about"]``."""
        return dataclasses.fields(cls)

    @abstractmethod
    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The additive components of one query; the same number for every query."""

    def components_of(self, queries: Iterable[RankedQuery]) -> list[tuple[float, ...]]:
        """The components of all queries of one system; measures that need more than one query at a time override it."""
        return [self.components(query) for query in queries]

    @property
    def width(self) -> int:
        """The number of components."""
        return len(self.components(RankedQuery([Candidate(relevant=True, gain=1.0)])))

    @abstractmethod
    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """The measure over a set of queries, a fraction.

        Args:
            sums: each component summed over the queries.
            queries: number of summed queries.
        """

    def on_one_scale(self, components: NDArray[np.float64]) -> NDArray[np.float64]:
        """The components of systems with different score scales, converted to one scale.

        Paired tests swap the components of two systems. The measure of each system does not change.

        Args:
            components: shape (..., queries, components), with all queries of each system.
        """
        return components

    def value(self, query: RankedQuery) -> float:
        """The measure of one query alone, a fraction."""
        return self.aggregate(self.components(query), 1)

    def total(self, components: Iterable[Sequence[float]] | NDArray[np.float64]) -> float:
        """The measure over the queries with these components; bit-equal for any order of the queries.

        Args:
            components: a row for each query.
        """
        import numpy as np

        rows = components if isinstance(components, np.ndarray) else np.array(list(components))
        return self.aggregate([math.fsum(column.tolist()) for column in rows.T], len(rows))

    def __str__(self) -> str:
        """The display name with parameters, such as ``MAP@10`` or ``RBP(p=0.8)@10``."""
        values = {field.name: getattr(self, field.name) for field in self.parameters()}
        cutoff = f"@{rank}" if (rank := values.pop("cutoff", None)) is not None else ""
        others = ",".join(f"{name}={value}" for name, value in values.items())
        return f"{self.name}{f'({others})' if others else ''}{cutoff}"


class MeanMeasure(Measure):
    """A measure that is the mean of the values of single queries, including queries without a hit."""

    @abstractmethod
    def value(self, query: RankedQuery) -> float:
        """The measure of one query alone, a fraction."""

    def components(self, query: RankedQuery) -> tuple[float, ...]:
        """The value of the query."""
        return (self.value(query),)

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """The mean over all queries."""
        return sums[0] / queries


class RatioMeasure(Measure):
    """A ratio of counts over all queries (micro-average); components: numerator, denominator."""

    def aggregate(self, sums: Sequence[Sum], queries: int) -> Sum:
        """The sum of numerators divided by the sum of denominators; 0 without candidates."""
        part, whole = sums
        return ratio(part, whole)


def ratio(part: Sum, whole: Sum) -> Sum:
    """The quotient, or 0 if the denominator is 0; the numerator is then 0 as well, so any other denominator works."""
    denominator: Sum = whole + (whole == 0)
    return part / denominator
