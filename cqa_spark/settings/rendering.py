"""Resolved settings as YAML, as a hash, and as the output of ``--dry-run``."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import yaml

from cqa_spark.process.terminal import visible_line
from cqa_spark.settings.conf_files import conf_files
from cqa_spark.settings.sections import Command, SettingsSection
from cqa_spark.settings.values import NotHashed
from cqa_spark.settings.yaml import read_yaml


def config_yaml(settings: SettingsSection) -> str:
    """All settings as YAML for ``--config``; equal settings give equal text."""
    return _yaml(settings.model_dump(mode="json"))


def flat_settings(text: str) -> dict[str, str]:
    """The settings of a YAML text by dotted key, in its order; a list is its values, separated by blanks.

    Args:
        text: result of ``config_yaml``.
    """
    flat: dict[str, str] = {}

    def add(key: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for name, inner in value.items():
                add(f"{key}.{name}" if key else str(name), inner)
        elif isinstance(value, list) and not any(isinstance(item, Mapping | list) for item in value):
            flat[key] = " ".join(map(str, value))
        else:
            flat[key] = json.dumps(value) if isinstance(value, list) else "" if value is None else str(value)

    add("", yaml.safe_load(text) or {})
    return flat


def config_hash(settings: SettingsSection) -> str:
    """SHA-256 (hexadecimal) of all configuration that can affect results.

    These are the settings and the recipes of the systems that they name, without settings marked ``NotHashed``: paths
    of dumps, tables, models and reports, the run id, publishing, tracking and the Spark session.
    """
    settled = hashed_settings(settings)
    return hashlib.sha256(_yaml({**settled, "recipes": _recipes(settled)}).encode()).hexdigest()


def hashed_settings(section: SettingsSection) -> dict[str, Any]:
    """The settings of a section that can affect results, as plain data: those of its sections too."""
    fields = type(section).model_fields.items()
    asides = {name for name, field in fields if any(isinstance(metadatum, NotHashed) for metadatum in field.metadata)}
    settled = section.model_dump(mode="json", exclude=asides)
    sections = {name: value for name, value in section if name in settled and isinstance(value, SettingsSection)}
    return settled | {name: hashed_settings(value) for name, value in sections.items()}


def _recipes(settled: Mapping[str, Any]) -> dict[str, Any]:
    """The recipes of the systems that the settings name, without comments."""
    names = [*settled.get("systems", ()), *settled.get("recipes", ()), *filter(None, [settled.get("system")])]
    recipes = conf_files("systems")
    return {name: read_yaml(recipes[name]).value for name in names if name in recipes}


def dry_run(program: str, settings: Command) -> str:
    """The output of ``--dry-run``: the settings, followed by inputs and outputs as comments."""
    return "\n".join(
        [
            f"# {program}, settings with hash {config_hash(settings)}",
            config_yaml(settings).rstrip(),
            "# would read",
            *(f"#   {visible_line(product)}" for product in settings.reads() or ["nothing"]),
            "# would write",
            *(f"#   {visible_line(product)}" for product in settings.writes() or ["nothing"]),
        ]
    )


def _yaml(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=120)
