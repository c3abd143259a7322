"""Feature groups by name, and their declarations as plain data."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from pyspark.sql import functions as F

from cqa_spark.errors import ContractError, InputError
from cqa_spark.features.group import FeatureGroup, LearningGroup, learns_from_labels
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_group import NumberedGroup
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.plugins import PluginKind
from cqa_spark.process.terminal import Terminal

FEATURE_GROUPS: PluginKind[type[FeatureGroup]] = PluginKind(
    "feature_groups", "feature group", command="cqa features list"
)

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


NOT_FITTED: Mapping[str, FeatureGroup] = MappingProxyType({})


def described(name: str) -> Mapping[str, Any]:
    """The declaration of a group: family, entity, training data, and columns with meaning and source.

    Raises:
        ConfigError: an unknown group.
    """
    group = group_class(name)
    learns_from = "nothing"
    if issubclass(group, LearningGroup):
        learns_from = "labels, cross-fitted" if learns_from_labels(group) else "training texts"
    return {
        "name": name,
        "about": group.about,
        "origin": FEATURE_GROUPS.registration(name).origin,
        "family": group.family,
        "entity": group.entity.value,
        "learns_from": learns_from,
        "columns": [asdict(column) for column in group.columns],
    }


def meanings(features: Iterable[str], fitted: Mapping[str, FeatureGroup] = NOT_FITTED) -> dict[str, str]:
    """The meanings of feature columns ``GROUP__COLUMN``; columns of unknown groups are omitted.

    Args:
        features: the columns.
        fitted: groups by name; numbered columns of these have the meanings that fitting gave them, others the declared
            ones.
    """
    known = frozenset(known_groups())
    by_fitting = {name: group.meanings() for name, group in fitted.items() if isinstance(group, NumberedGroup)}
    abouts: dict[str, str] = {}
    for feature in features:
        group, _, column = feature.partition("__")
        if group in known:
            declared = {declared.name: declared.about for declared in group_class(group).columns}
            if column in declared:
                abouts[feature] = by_fitting.get(group, declared).get(column, declared[column])
    return abouts


# The sites for which groups can be computed.


@dataclass(frozen=True)
class Supplied:
    """A group and the sites for which it can be computed.

    Attributes:
        group: the group.
        inputs: the tables with the examples of these sites; None if there are none.
        lacking: missing tables by site.
    """

    group: type[FeatureGroup]
    inputs: FeatureInputs | None
    lacking: dict[str, list[str]]


def with_needed_tables(
    groups: Iterable[type[FeatureGroup]], inputs: FeatureInputs, *, strict: bool
) -> Iterator[Supplied]:
    """Restrict the examples of each group to sites that have all the tables that it needs.

    Missing votes do not mean zero votes, so values of such sites are omitted and count as unknown.

    Args:
        groups: the groups.
        inputs: the tables, with their sites.
        strict: fail instead.

    Raises:
        InputError: ``strict`` is set and a site lacks a table that a group needs.
    """
    sites = set(inputs.sites[EXAMPLES.name])
    for group in groups:
        lacking: dict[str, list[str]] = {}
        for site in sorted(sites):
            missing_tables = [table for table in group.needs if site not in inputs.sites.get(table, ())]
            if missing_tables:
                lacking[site] = missing_tables
        complete = sorted(sites.difference(lacking))
        if not lacking:
            yield Supplied(group, inputs, lacking)
            continue
        tables = [table for table in group.needs if any(table in missing for missing in lacking.values())]
        sites_without = {
            table: ", ".join(site for site, missing in lacking.items() if table in missing) for table in tables
        }
        problem = "; ".join(f"no {table} of {sites}" for table, sites in sites_without.items())
        if strict:
            raise InputError(f"feature group {group.name}: {problem}", "read complete dumps, or go without --strict")
        Terminal(stderr=True).line(f"warning: feature group {group.name} is left out: {problem}")
        yield Supplied(group, inputs.keep_examples(F.col("site").isin(*complete)) if complete else None, lacking)
