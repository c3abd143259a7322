"""Where a tuning job may look: the ranges that rankers declare beside their parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

DIGITS = 3
"""Significant digits of a drawn number: what a person would write into a recipe."""


@dataclass(frozen=True)
class Between:
    """A range of numbers; written beside a parameter's type, as in ``Annotated[float, Between(0.01, 1, log=True)]``.

    Attributes:
        low: the smallest value.
        high: the largest value.
        log: whether 0.01 to 0.1 is as wide as 0.1 to 1.
        whole: whether only whole numbers are drawn.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def draw(self, random: Random) -> float | int:
        """A number of the range, rounded to ``DIGITS`` significant digits, or to a whole number."""
        if self.log:
            drawn = math.exp(random.uniform(math.log(self.low), math.log(self.high)))
        else:
            drawn = random.uniform(self.low, self.high)
        kept = min(max(drawn, self.low), self.high)
        return round(kept) if self.whole else float(f"{kept:.{DIGITS}g}")


def declared_ranges(parameters_type: Any) -> dict[str, Between]:
    """The ranges of a ranker's parameters, by parameter."""
    return {
        name: range_
        for name, field in parameters_type.model_fields.items()
        for range_ in field.metadata
        if isinstance(range_, Between)
    }


def draw(space: Mapping[str, Between], random: Random) -> dict[str, float | int]:
    """One value per range, drawn in the order of the names, so that the same seed gives the same values."""
    return {name: space[name].draw(random) for name in sorted(space)}


def with_values(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with some of them set anew.

    Args:
        parameters: as a recipe gives them; they stay as they are.
        values: by path, such as ``members.0.parameters.l2``.
    """
    changed = deepcopy(dict(parameters))
    for path, value in values.items():
        *steps, last = path.split(".")
        place: Any = changed
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
        place[last] = value
    return changed


def search_space(ranker: str, parameters: Mapping[str, Any]) -> dict[str, Between]:
    """The ranges of a ranker and of the rankers that it is made of, by path in its parameters.

    Args:
        ranker: registered name.
        parameters: as a recipe gives them; they say which members there are.
    """
    from cqa_spark.rankers.registry import ranker_class  # whose rankers declare their ranges with this module

    space = declared_ranges(ranker_class(ranker).parameters_type)
    for path, member in _members(parameters):
        inner = search_space(member["name"], member.get("parameters", {}))
        space |= {f"{path}.parameters.{name}": range_ for name, range_ in inner.items()}
    return space


def _members(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, member in enumerate(parameters.get("members", ())):
        yield f"members.{number}", member
    if "member" in parameters:
        yield "member", parameters["member"]
