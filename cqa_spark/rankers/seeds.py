"""The same ranker with other seeds: how much of a result is the luck of a draw of rows, features or weights."""

from __future__ import annotations

from cqa_spark.rankers.registry import ranker_class
from cqa_spark.rankers.search_space import members, with_values
from cqa_spark.rankers.spec import RankerSpec

_APART = 1000
"""Between the seeds of two draws, so that members that differ by their seed alone still differ, and share none."""


def with_other_seed(ranker: RankerSpec, number: int) -> RankerSpec | None:
    """The ranker with all of its seeds, and those of the rankers that it is made of, set anew.

    Args:
        ranker: as a recipe gives it.
        number: of the draw; 0 is the recipe's own.

    Returns:
        The ranker; None where nothing is drawn.
    """
    given = _seeds(ranker)
    if not given:
        return None
    seeds = {path: seed + number * _APART for path, seed in given.items()}
    return ranker.model_copy(update={"parameters": with_values(ranker.parameters, seeds)})


def _seeds(ranker: RankerSpec) -> dict[str, int]:
    """By path in the parameters."""
    found: dict[str, int] = {}
    field = ranker_class(ranker.name).parameters_type.model_fields.get("seed")
    if field is not None:
        found["seed"] = ranker.parameters.get("seed", field.default)
    for path, member in members(ranker.parameters):
        inner = _seeds(RankerSpec.model_validate(member))
        found |= {f"{path}.parameters.{name}": seed for name, seed in inner.items()}
    return found
