"""Feature groups by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from cqa_spark.errors import ContractError
from cqa_spark.features.group import FeatureGroup
from cqa_spark.plugins import PluginKind

FEATURE_GROUPS: PluginKind[type[FeatureGroup]] = PluginKind("feature_groups", "feature group")

VERSIONED_NAME = re.compile(r"[a-z][a-z0-9_]*_v[1-9][0-9]*")


def known_groups() -> tuple[str, ...]:
    """The names of all feature groups, in alphabetical order."""
    return FEATURE_GROUPS.names()


@cache
def group_class(name: str) -> type[FeatureGroup]:
    """The feature group of this name.

    Raises:
        ConfigError: unknown group; the error lists close matches and all known names.
        ContractError: the group has another name, no version or no family, or its columns are not distinct.
        EnvironmentProblem: its module cannot be imported.
    """
    group = FEATURE_GROUPS.load(name)
    check_declaration(name, group)
    return group


def reads_texts(names: Iterable[str]) -> bool:
    """Whether any of these groups reads analysed texts.

    Raises:
        ConfigError: there is no group of one of the names.
    """
    return any(group_class(name).reads_texts for name in names)


def embedding_models(names: Iterable[str]) -> list[str]:
    """Names of the embedding models that any of these groups uses, in alphabetical order.

    Raises:
        ConfigError: there is no group of one of the names.
    """
    return sorted({model for name in names for model in group_class(name).embeddings})


def family(name: str) -> str:
    """The family of a feature group, such as similarity.

    Raises:
        ConfigError: unknown group.
    """
    return group_class(name).family


def check_declaration(name: str, group: type[FeatureGroup]) -> None:
    """Check what a group declares.

    Args:
        name: the name that it is registered with.
        group: its class.

    Raises:
        ContractError: it has another name, no version or no family, or its columns are not distinct.
    """
    where = f"{group.__name__} of {group.__module__}"
    if group.name != name:
        raise ContractError(f"feature group {where} is registered as {name}", f"register it as {group.name}")
    if not VERSIONED_NAME.fullmatch(name):
        raise ContractError(f"feature group {name}, {where}, has no version", f"end its name in one: {name}_v1")
    if not getattr(group, "family", ""):
        raise ContractError(
            f"feature group {name}, {where}, declares no family",
            "declare the family that an ablation leaves it out with, such as similarity",
        )
    names = [column.name for column in group.columns]
    repeated = sorted({column for column in names if names.count(column) > 1})
    if repeated or not names:
        raise ContractError(
            f"feature group {name} declares " + (f"{', '.join(repeated)} twice" if names else "no columns"),
            "declare every column once",
        )


def libraries_of(groups: Iterable[str]) -> frozenset[str]:
    """The modules that groups declare to import, by the names of the groups."""
    return frozenset().union(*(group_class(name).libraries for name in groups))


def require_libraries(groups: Iterable[str]) -> None:
    """Check that what all groups need to compute their values is installed.

    Args:
        groups: names of feature groups.

    Raises:
        EnvironmentProblem: one is not; the message names the command that installs it.
    """
    for group in map(group_class, groups):
        group.require_installed()
