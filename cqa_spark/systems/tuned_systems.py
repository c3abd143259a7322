"""Systems with the ranker parameters chosen by a search in the same run."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import TRIALS
from cqa_spark.rankers.search_space import with_values
from cqa_spark.systems.system import System


def tuned_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems with the parameters chosen for their rankers; unchanged without a search."""
    chosen = {each["system"]: json.loads(each["parameters"]) for each in run.entries_or_none(TRIALS) if each["chosen"]}
    return [_with_values(system, chosen[system.name]) if system.name in chosen else system for system in systems]


def _with_values(system: System, values: dict[str, float | int]) -> System:
    parameters = with_values(system.ranker.parameters, values)
    return system.model_copy(update={"ranker": system.ranker.model_copy(update={"parameters": parameters})})
