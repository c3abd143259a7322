"""Layers of settings: YAML files and the command line, merged in order.

``${NAME}`` and ``${NAME:-default}`` in a file are replaced by environment variables. Relative paths, in files and
flags, are relative to the working directory.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cqa_spark.settings.suggestions import did_you_mean
from cqa_spark.settings.yaml import Key, Problem, YamlError, read_yaml

_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


@dataclass(frozen=True)
class SettingsLayer:
    """Settings from one origin.

    Attributes:
        origin: path of the file, or ``command line``.
        values: the settings, nested by section.
        origins: by key, where it is set, such as ``conf/demo.yaml, line 3``.
    """

    origin: str
    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[Key, str] = field(default_factory=dict)


def read_layer(path: Path) -> tuple[SettingsLayer | None, list[Problem]]:
    """Read one YAML file; None with a problem for a file that cannot be read."""
    try:
        document = read_yaml(path)
    except YamlError as error:
        return None, [error.detail]
    if document.value is None:
        return SettingsLayer(str(path)), []
    if not isinstance(document.value, dict):
        return None, [Problem(str(path), "", "contains no settings", "write `key: value` pairs")]
    layer = SettingsLayer(str(path), origins=dict(document.origins))
    problems: list[Problem] = []
    layer.values.update(_expand_all(document.value, (), layer, problems))
    return layer, problems


def _expand_all(values: Mapping[str, Any], above: Key, layer: SettingsLayer, problems: list[Problem]) -> dict[str, Any]:
    expanded: dict[str, Any] = {}
    for name, value in values.items():
        key = (*above, name)
        if isinstance(value, Mapping):
            expanded[name] = _expand_all(value, key, layer, problems)
        else:
            expanded[name] = _expand(value, key, origin_of(key, [layer]), problems)
    return expanded


def _expand(value: Any, key: Key, origin: str, problems: list[Problem]) -> Any:
    """Replace environment variables in a text, or in every text of a list."""
    if isinstance(value, list):
        return [_expand(item, key, origin, problems) for item in value]
    if not isinstance(value, str):
        return value

    def variable(match: re.Match[str]) -> str:
        setting: str | None = os.environ.get(match["name"]) or match["default"]
        if setting is None:
            problems.append(
                Problem(
                    origin,
                    ".".join(key),
                    f"the environment variable {match['name']} is not set",
                    f"set it, or write ${{{match['name']}:-default}}",
                )
            )
        return setting or ""

    return _VARIABLE.sub(variable, value)


def merge(layers: Sequence[SettingsLayer]) -> dict[str, Any]:
    """Merge layers, later ones over earlier ones; lists are replaced, null values are ignored."""
    merged: dict[str, Any] = {}
    for layer in layers:
        _merge_into(merged, layer.values)
    return merged


def _merge_into(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for name, value in above.items():
        if isinstance(value, Mapping):
            lower = below.get(name)
            below[name] = dict(lower) if isinstance(lower, Mapping) else {}
            _merge_into(below[name], value)
        elif value is not None:
            below[name] = value


def origin_of(key: Key, layers: Sequence[SettingsLayer]) -> str:
    """Where the last layer sets a key, or else its innermost section that is set."""
    for length in range(len(key), 0, -1):
        for layer in reversed(layers):
            if key[:length] in layer.origins:
                return layer.origins[key[:length]]
    return "config files and flags"


def unknown_keys(layer: SettingsLayer, known_keys: Collection[Key]) -> list[Problem]:
    """A problem for every unknown key of a file; keys inside an unknown section are ignored."""
    spellings = [".".join(key) for key in known_keys]
    problems = []
    for key, origin in layer.origins.items():
        if key not in known_keys and (len(key) == 1 or key[:-1] in known_keys):
            remedy = did_you_mean(".".join(key), spellings, "see cqa JOB --help")
            problems.append(Problem(origin, ".".join(key), "unknown setting", remedy))
    return problems


def only(values: Mapping[str, Any], known_keys: Collection[Key], above: Key = ()) -> dict[str, Any]:
    """The settings with known keys."""
    selected = {name: value for name, value in values.items() if (*above, name) in known_keys}
    return {
        name: only(value, known_keys, (*above, name)) if isinstance(value, Mapping) else value
        for name, value in selected.items()
    }


def nested(flat: Mapping[Key, Any]) -> dict[str, Any]:
    """Nest settings by full key."""
    values: dict[str, Any] = {}
    for key, value in flat.items():
        section = values
        for name in key[:-1]:
            section = section.setdefault(name, {})
        section[key[-1]] = value
    return values
