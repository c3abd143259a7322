"""Varies the seeds of a ranker, to measure the variance due to random rows, features or weights."""

from __future__ import annotations

from cqa_spark.rankers.registry import RANKERS
from cqa_spark.rankers.search_space import members, with_values
from cqa_spark.rankers.spec import RankerSpec

_APART = 1000
"""Distance between the seeds of two draws, so that members that differ only in their seed never share one."""


def with_other_seed(ranker: RankerSpec, number: int) -> RankerSpec | None:
    """The ranker with new seeds for itself and its members.

    Args:
        ranker: the ranker of a recipe.
        number: number of the draw; 0 for the recipe's own seeds.

    Returns:
        The ranker; None if it has no seeds.
    """
    given = seeds_of(ranker)
    if not given:
        return None
    seeds = {path: seed + number * _APART for path, seed in given.items()}
    return ranker.model_copy(update={"parameters": with_values(ranker.parameters, seeds)})


def seeds_of(ranker: RankerSpec) -> dict[str, int]:
    """The seeds of a ranker and its members, by path in the parameters."""
    found: dict[str, int] = {}
    field = RANKERS.load(ranker.name).parameters_type.model_fields.get("seed")
    if field is not None:
        found["seed"] = ranker.parameters.get("seed", field.default)
    for path, member in members(ranker.parameters):
        inner = seeds_of(RankerSpec.model_validate(member))
        found |= {f"{path}.parameters.{name}": seed for name, seed in inner.items()}
    return found
