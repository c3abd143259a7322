"""Finds feature groups: every group class that a module below ``cqa_spark.features.groups`` defines."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType, ModuleType

from cqa_spark.config.suggestions import known_names
from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.features import groups
from cqa_spark.features.group import FeatureGroup

VERSIONED_NAME = re.compile(r"[a-z][a-z0-9_]*_v[1-9][0-9]*")


def known_groups() -> tuple[str, ...]:
    """The names of all feature groups, in alphabetical order."""
    return tuple(_registered())


def group_class(name: str) -> type[FeatureGroup]:
    """The feature group of this name.

    Raises:
        ConfigError: unknown group; the error lists close matches and all known names.
    """
    registered = _registered()
    if name not in registered:
        raise ConfigError(f"unknown feature group {name}", known_names(name, registered, "groups"))
    return registered[name]


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


def index_by_name(classes: Iterable[type[FeatureGroup]]) -> Mapping[str, type[FeatureGroup]]:
    """Group classes by name, in alphabetical order.

    Raises:
        ContractError: a name has no version or is used twice, the family is missing, or columns are not distinct.
    """
    index: dict[str, type[FeatureGroup]] = {}
    for found in classes:
        _check(found)
        if found.name in index:
            raise ContractError(
                f"two feature groups are named {found.name}: {index[found.name].__module__} and {found.__module__}",
                "give one of them another name or the next version",
            )
        index[found.name] = found
    return MappingProxyType(dict(sorted(index.items())))


@cache
def _registered() -> Mapping[str, type[FeatureGroup]]:
    found = pkgutil.walk_packages(groups.__path__, prefix=f"{groups.__name__}.")
    modules = [importlib.import_module(module.name) for module in found]
    return index_by_name(found for module in modules for found in _groups_of(module))


def _groups_of(module: ModuleType) -> Iterator[type[FeatureGroup]]:
    for _, member in inspect.getmembers(module, inspect.isclass):
        defined_here = member.__module__ == module.__name__
        if defined_here and issubclass(member, FeatureGroup) and not inspect.isabstract(member):
            yield member


def _check(found: type[FeatureGroup]) -> None:
    if not VERSIONED_NAME.fullmatch(found.name):
        raise ContractError(
            f"feature group {found.name} of {found.__module__} has no version",
            f"end its name in one: {found.name}_v1",
        )
    if not getattr(found, "family", ""):
        raise ContractError(
            f"feature group {found.name} of {found.__module__} declares no family",
            "declare the family that an ablation leaves it out with, such as similarity",
        )
    names = [column.name for column in found.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated or not names:
        raise ContractError(
            f"feature group {found.name} declares " + (f"{', '.join(repeated)} twice" if names else "no columns"),
            "declare every column once",
        )
