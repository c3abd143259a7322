"""The groups of a trained system that give numbered columns names."""

from __future__ import annotations

from collections.abc import Iterable

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.features.group import FeatureGroup, NumberedGroup
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.systems.trained_system import fitted_groups


def numbered_groups(
    features: Iterable[str], path: str | None, storage: ObjectStorageSettings
) -> dict[str, FeatureGroup]:
    """Load the numbered groups among those of some feature columns, without the system's model.

    Args:
        features: the columns, ``GROUP__COLUMN``.
        path: the model folder of the trained system; None if it is unknown, for no groups.
        storage: object storage settings.

    Raises:
        ContractError: the folder is invalid.
    """
    groups = {name.partition("__")[0] for name in features}.intersection(known_groups())
    numbered = sorted(name for name in groups if issubclass(group_class(name), NumberedGroup))
    return fitted_groups(numbered, path, storage) if path is not None and numbered else {}
