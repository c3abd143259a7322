"""The meanings of a trained system's features."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.features.catalogue import meanings
from cqa_spark.features.group import NumberedGroup
from cqa_spark.features.registry import group_class
from cqa_spark.systems.trained_system import fitted_groups


def feature_meanings(features: Sequence[str], path: str | None, storage: ObjectStorageSettings) -> dict[str, str]:
    """The meanings of feature columns ``GROUP__COLUMN``, with the names of numbered tags and badges.

    Args:
        features: the columns; those of unknown groups are omitted.
        path: the model folder of the trained system; None for the meanings that groups declare.
        storage: object storage settings.

    Raises:
        ContractError: the folder is invalid.
    """
    declared = meanings(features)
    groups = {name.partition("__")[0] for name in declared}
    numbered = sorted(name for name in groups if issubclass(group_class(name), NumberedGroup))
    if path is None or not numbered:
        return declared
    named = {
        f"{name}__{column}": about
        for name, group in fitted_groups(numbered, path, storage).items()
        if isinstance(group, NumberedGroup)
        for column, about in group.meanings().items()
    }
    return {name: named.get(name, about) for name, about in declared.items()}
