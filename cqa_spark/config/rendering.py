"""Resolved settings as text: for people, for the log of runs, and as a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import yaml

from cqa_spark.config.command import Command
from cqa_spark.config.project_root import project_root
from cqa_spark.config.sections import Section
from cqa_spark.config.value_types import NotHashed


def config_yaml(settings: Section) -> str:
    """All settings with their values, as YAML that ``--config`` reads; the same settings give the same text."""
    return _yaml(settings.model_dump(mode="json"))


def config_hash(settings: Section) -> str:
    """SHA-256 (hexadecimal) of everything configured that can change a figure.

    That is the settings and the recipes of the systems that they name. Left out are settings marked ``NotHashed``: where
    tables, models and reports lie, the run's id, publishing, tracking and the Spark session.
    """
    asides = {
        name
        for name, field in type(settings).model_fields.items()
        if any(isinstance(each, NotHashed) for each in field.metadata)
    }
    settled = settings.model_dump(mode="json", exclude=asides)
    return hashlib.sha256(_yaml({**settled, "recipes": _recipes(settled)}).encode()).hexdigest()


def _recipes(settled: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the recipe of every system that the settings name, without its comments."""
    names = [*settled.get("systems", ()), *settled.get("recipes", ()), *filter(None, [settled.get("system")])]
    recipes = {name: project_root() / "conf" / "systems" / f"{name}.yaml" for name in names}
    return {name: yaml.safe_load(path.read_text(encoding="utf-8")) for name, path in recipes.items() if path.exists()}


def dry_run(program: str, settings: Command) -> str:
    """What ``--dry-run`` prints: the settings, and below them, as comments, what would be read and written."""
    return "\n".join(
        [
            f"# {program}, settings with hash {config_hash(settings)}",
            config_yaml(settings).rstrip(),
            "# would read",
            *(f"#   {each}" for each in settings.reads() or ["nothing"]),
            "# would write",
            *(f"#   {each}" for each in settings.writes() or ["nothing"]),
        ]
    )


def _yaml(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=120)
