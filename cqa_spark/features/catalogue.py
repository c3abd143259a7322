"""The declarations of feature groups as plain data, for ``cqa features``, the documentation and other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from cqa_spark.features.group import FeatureGroup, LearningGroup, NumberedGroup, learns_from_labels
from cqa_spark.features.registry import FEATURE_GROUPS, family, group_class, known_groups

NOT_FITTED: Mapping[str, FeatureGroup] = MappingProxyType({})


def described(name: str) -> Mapping[str, Any]:
    """The declaration of a group: family, entity, training data, and columns with meaning and source.

    Raises:
        ConfigError: an unknown group.
    """
    found = group_class(name)
    return {
        "name": name,
        "about": found.about,
        "origin": FEATURE_GROUPS.registration(name).origin,
        "family": family(name),
        "entity": found.entity.value,
        "learns_from": _learns_from(found),
        "columns": [asdict(column) for column in found.columns],
    }


def meanings(features: Iterable[str], fitted: Mapping[str, FeatureGroup] = NOT_FITTED) -> dict[str, str]:
    """The meanings of feature columns ``GROUP__COLUMN``; columns of unknown groups are omitted.

    Args:
        features: the columns.
        fitted: groups by name; numbered columns of these have the meanings that fitting gave them, others the declared
            ones.
    """
    known = known_groups()
    wanted = {name: name.partition("__") for name in features}
    declared = {
        group: {column.name: column.about for column in group_class(group).columns}
        for group in {group for group, _, _ in wanted.values()}.intersection(known)
    }
    named = {name: group.meanings() for name, group in fitted.items() if isinstance(group, NumberedGroup)}
    return {
        name: named.get(group, declared[group]).get(column, declared[group][column])
        for name, (group, _, column) in wanted.items()
        if column in declared.get(group, ())
    }


def _learns_from(found: type[FeatureGroup]) -> str:
    if not issubclass(found, LearningGroup):
        return "nothing"
    return "labels, cross-fitted" if learns_from_labels(found) else "training texts"
