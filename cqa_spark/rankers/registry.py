"""Rankers by name, and their specification in a recipe; imports neither Spark nor the rankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ConfigError
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.suggestions import known_names

if TYPE_CHECKING:
    from cqa_spark.rankers.ranker import Ranker

RANKERS: PluginKind[type[Ranker[Any]]] = PluginKind("rankers", "ranker")
"""Rankers by name; a module is imported at first use, because composite rankers look up their members here."""


class RankerSpec(BaseModel):
    """Name and parameters of a ranker in a recipe; omitted parameters have their defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    parameters: dict[str, Any] = Field(default_factory=dict)


def build_ranker(name: str, parameters: Mapping[str, Any]) -> Ranker[Any]:
    """Build an unfitted ranker.

    Raises:
        ConfigError: unknown ranker, unknown parameter, or invalid value; all mistakes in the parameters are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    ranker_type = RANKERS.load(name)
    declared = ranker_type.parameters_type.model_fields
    try:
        return ranker_type(ranker_type.parameters_type(**parameters))
    except ValidationError as error:
        problems, remedies = [], []
        for mistake in error.errors():
            parameter = str(mistake["loc"][0])
            if mistake["type"] == "extra_forbidden":
                problems.append(f"unknown parameter {parameter}")
                remedies.append(known_names(parameter, declared, "parameters"))
                continue
            if mistake["type"] == "missing":
                problems.append(f"parameter {parameter} is missing")
            else:
                problems.append(f"{parameter} is {mistake['input']!r}: {mistake['msg']}")
            remedies.append(f"{parameter}: {declared[parameter].description}")
        # Several mistakes in one parameter have the same remedy.
        raise ConfigError(f"ranker {name}: {'; '.join(problems)}", "; ".join(dict.fromkeys(remedies))) from error
