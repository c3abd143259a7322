"""The search space of a tuning job: the parameter ranges of a ranker and its members."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from cqa_spark.rankers.ranges import Between, declared_ranges
from cqa_spark.rankers.registry import RANKERS


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
