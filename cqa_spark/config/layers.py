"""Where settings come from: YAML files and the command line, one laid over the other.

``${NAME}`` and ``${NAME:-default}`` in a file stand for environment variables. Relative paths, in files and in flags
alike, start at the working directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from cqa_spark.config.problems import Problem, did_you_mean

Key = tuple[str, ...]
"""The keys that lead to a setting, from the outermost section inwards."""

_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


@dataclass(frozen=True)
class Layer:
    """Settings from one origin.

    Attributes:
        origin: file, or ``command line``.
        values: the settings, nested as in YAML.
        places: for every key where exactly it stands, such as ``conf/demo.yaml, line 3``.
    """

    origin: str
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[Key, str] = field(default_factory=dict)


def read_layer(path: Path) -> tuple[Layer, list[Problem]]:
    """Read one YAML file; a file that cannot be read gives an empty layer and a problem."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        return Layer(str(path)), [Problem(str(path), "", f"cannot be read: {reason}", "check the path of the file")]
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        return Layer(str(path)), [Problem(f"{path}{line}", "", f"is not YAML: {error.problem}", "mend the file")]
    if root is None:
        return Layer(str(path)), []
    if not isinstance(root, yaml.MappingNode):
        return Layer(str(path)), [Problem(str(path), "", "holds no settings", "write one `key: value` a line")]
    layer = Layer(str(path))
    problems: list[Problem] = []
    layer.values.update(_read_mapping(root, (), layer, problems))
    return layer, problems


def _read_mapping(node: yaml.MappingNode, above: Key, layer: Layer, problems: list[Problem]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        name = str(key_node.value)
        key, place = (*above, name), f"{layer.origin}, line {key_node.start_mark.line + 1}"
        if name in values:
            problems.append(Problem(place, ".".join(key), "is set a second time", "keep one of the two"))
        layer.places[key] = place
        if isinstance(value_node, yaml.MappingNode):
            values[name] = _read_mapping(value_node, key, layer, problems)
        else:
            values[name] = _expand(_plain_value(value_node), key, place, problems)
    return values


def _plain_value(node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    finally:
        loader.dispose()


def _expand(value: Any, key: Key, place: str, problems: list[Problem]) -> Any:
    """Put the values of environment variables into a text, or into every text of a list."""
    if isinstance(value, list):
        return [_expand(each, key, place, problems) for each in value]
    if not isinstance(value, str):
        return value

    def variable(match: re.Match[str]) -> str:
        found: str | None = os.environ.get(match["name"]) or match["default"]
        if found is None:
            problems.append(
                Problem(
                    place,
                    ".".join(key),
                    f"the environment variable {match['name']} is not set",
                    f"set it, or write ${{{match['name']}:-default}}",
                )
            )
        return found or ""

    return _VARIABLE.sub(variable, value)


def merge(layers: Sequence[Layer]) -> dict[str, Any]:
    """Lay layers over one another, the last on top; a list replaces a list, an unset value changes nothing."""
    merged: dict[str, Any] = {}
    for layer in layers:
        _lay_over(merged, layer.values)
    return merged


def _lay_over(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for name, value in above.items():
        if isinstance(value, Mapping):
            lower = below.get(name)
            below[name] = dict(lower) if isinstance(lower, Mapping) else {}
            _lay_over(below[name], value)
        elif value is not None:
            below[name] = value


def origin_of(key: Key, layers: Sequence[Layer]) -> str:
    """Where the value of a setting comes from: its place in the topmost layer that has it, or the nearest above it."""
    for length in range(len(key), 0, -1):
        for layer in reversed(layers):
            if key[:length] in layer.places:
                return layer.places[key[:length]]
    return "config files and flags"


def unknown_keys(layer: Layer, known: Collection[Key]) -> list[Problem]:
    """A problem for every key of a file that no job knows; what stands below it is not looked at."""
    spellings = [".".join(key) for key in known]
    problems = []
    for key, place in layer.places.items():
        if key not in known and (len(key) == 1 or key[:-1] in known):
            remedy = did_you_mean(".".join(key), spellings, "cqa JOB --help lists the settings of a job")
            problems.append(Problem(place, ".".join(key), "there is no such setting", remedy))
    return problems


def only(values: Mapping[str, Any], known: Collection[Key], above: Key = ()) -> dict[str, Any]:
    """The settings whose keys are known."""
    kept = {name: value for name, value in values.items() if (*above, name) in known}
    return {
        name: only(value, known, (*above, name)) if isinstance(value, Mapping) else value
        for name, value in kept.items()
    }


def nested(flat: Mapping[Key, Any]) -> dict[str, Any]:
    """Settings by their full keys, as nested sections."""
    values: dict[str, Any] = {}
    for key, value in flat.items():
        section = values
        for name in key[:-1]:
            section = section.setdefault(name, {})
        section[key[-1]] = value
    return values
