"""Rankers by name; a module is imported at first use, because composite rankers look up their members here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ConfigError
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.suggestions import known_names

if TYPE_CHECKING:
    from cqa_spark.rankers.ranker import Ranker

RANKERS: PluginKind[type[Ranker[Any]]] = PluginKind("rankers", "ranker")


def build_ranker(name: str, parameters: Mapping[str, Any]) -> Ranker[Any]:
    """Build an unfitted ranker.

    Raises:
        ConfigError: unknown ranker, unknown parameter, or invalid value; all mistakes in the parameters are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    found = RANKERS.load(name)
    try:
        return found(found.parameters_type(**parameters))
    except ValidationError as error:
        problems, remedies = zip(*_mistakes(found, error), strict=True)
        raise ConfigError(f"ranker {name}: {'; '.join(problems)}", "; ".join(dict.fromkeys(remedies))) from error


def _mistakes(found: type[Ranker[Any]], error: ValidationError) -> Iterator[tuple[str, str]]:
    declared = found.parameters_type.model_fields
    for mistake in error.errors():
        parameter = str(mistake["loc"][0])
        if mistake["type"] == "extra_forbidden":
            yield f"unknown parameter {parameter}", known_names(parameter, declared, "parameters")
        elif mistake["type"] == "missing":
            yield f"parameter {parameter} is missing", f"{parameter}: {declared[parameter].description}"
        else:
            given = mistake["input"]
            yield f"{parameter} is {given!r}: {mistake['msg']}", f"{parameter}: {declared[parameter].description}"


class RankerSpec(BaseModel):
    """Name and parameters of a ranker; omitted parameters have their defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    parameters: dict[str, Any] = Field(default_factory=dict)
