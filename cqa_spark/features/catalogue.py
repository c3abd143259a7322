"""What feature groups declare, as plain data: for ``cqa features``, documentation and other programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from cqa_spark.features.group import FeatureGroup, LearningGroup, learns_from_labels
from cqa_spark.features.registry import family, group_class


def described(name: str) -> Mapping[str, Any]:
    """The declaration of a group: family, entity, what it learns from, and its columns with meaning and source.

    Raises:
        ConfigError: an unknown group.
    """
    found = group_class(name)
    return {
        "name": name,
        "about": found.about,
        "family": family(name),
        "entity": found.entity.name.lower(),
        "learns_from": _learns_from(found),
        "columns": [asdict(column) for column in found.columns],
    }


def _learns_from(found: type[FeatureGroup]) -> str:
    if not issubclass(found, LearningGroup):
        return "nothing"
    return "labels, cross-fitted" if learns_from_labels(found) else "training texts"
