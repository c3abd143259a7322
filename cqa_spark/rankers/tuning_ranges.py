"""The ranges that rankers declare for their parameters, from which a tuning job samples."""

import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from cqa_spark.rankers.registry import RANKERS

DIGITS = 3
"""Number of significant digits of a sampled value, so that recipes stay readable."""


@dataclass(frozen=True)
class Between:
    """A range of numbers, as an annotation: ``Annotated[float, Between(0.01, 1, log=True)]``.

    Numbers are sampled on a logarithmic scale if ``log``, and integers if ``whole``.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def draw(self, random: Random) -> float | int:
        """Sample a number, rounded to ``DIGITS`` significant digits or to an integer."""
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


# The search space of a tuning job: the parameter ranges of a ranker and its members.


def draw(space: Mapping[str, Between], random: Random) -> dict[str, float | int]:
    """Sample one value per range, in order of the names, so that a seed determines the values."""
    return {name: space[name].draw(random) for name in sorted(space)}


def with_values(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of parameters with new values for some of them.

    Args:
        parameters: parameters of a recipe.
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
    """The ranges of a ranker and its members, by path in its parameters.

    Args:
        ranker: registered name.
        parameters: parameters of a recipe, which name the members.
    """
    space = declared_ranges(RANKERS.load(ranker).parameters_type)
    for path, member in members(parameters):
        inner = search_space(member["name"], member.get("parameters", {}))
        space |= {f"{path}.parameters.{name}": range_ for name, range_ in inner.items()}
    return space


def members(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The members of a ranker, by path in its parameters."""
    for number, member in enumerate(parameters.get("members", ())):
        yield f"members.{number}", member
    if "member" in parameters:
        yield "member", parameters["member"]
