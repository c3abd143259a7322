"""``cqa features`` and ``cqa systems``: what feature groups and systems there are, as tables of 80 columns or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cqa_spark.config.file_commands import CatalogueSettings, ShowGroupSettings, ShowSystemSettings
from cqa_spark.config.project_root import project_root
from cqa_spark.features.catalogue import described
from cqa_spark.features.registry import known_groups
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.systems.system import System, known_systems, read_recipe


def print_groups(settings: CatalogueSettings) -> None:
    """Print all feature groups."""
    groups = [described(name) for name in known_groups()]
    if settings.format == "json":
        print(json.dumps(groups, indent=2))
    else:
        Terminal().table(groups_table(groups))


def groups_table(groups: list[Mapping[str, Any]]) -> TextTable:
    """A row for each group, as ``described`` gives it."""
    first = Column("group", whole=True)
    caption = "family, sources and what a group learns from: cqa features show NAME"
    table = TextTable(first, "entity", number("columns"), "about", title="Feature groups", caption=caption)
    for group in groups:
        table.add_row(group["name"], group["entity"], str(len(group["columns"])), group["about"])
    return table


def print_group(settings: ShowGroupSettings) -> None:
    """Print the columns of a feature group."""
    group = described(settings.name)
    if settings.format == "json":
        print(json.dumps(group, indent=2))
    else:
        Terminal().table(group_table(group))


def group_table(group: Mapping[str, Any]) -> TextTable:
    """The columns of a group with meaning, source and the value that replaces an unknown one."""
    caption = f"family: {group['family']}; entity: {group['entity']}; learns from: {group['learns_from']}"
    title = f"{group['name']}: {group['about']}"
    table = TextTable("column", "meaning", "source", number("missing"), title=title, caption=caption)
    for column in group["columns"]:
        table.add_row(column["name"], column["about"], column["source"], f"{column['missing']:g}")
    return table


def print_systems(settings: CatalogueSettings) -> None:
    """Print all systems."""
    systems = [read_recipe(project_root() / "conf", name) for name in known_systems(project_root() / "conf")]
    if settings.format == "json":
        print(json.dumps([_written(system) for system in systems], indent=2))
    else:
        Terminal().table(systems_table(systems))


def systems_table(systems: list[System]) -> TextTable:
    """A row for each system."""
    columns = Column("system", whole=True), Column("task", whole=True), "about"
    caption = "faithful, partial or surrogate: how a recipe relates to the published system; cqa systems show NAME"
    table = TextTable(*columns, title="Systems", caption=caption)
    for system in systems:
        relation = f" ({system.faithfulness})" if system.faithfulness else ""
        table.add_row(system.name, system.task, f"{system.about}{relation}")
    return table


def print_system(settings: ShowSystemSettings) -> None:
    """Print the recipe of a system."""
    system = read_recipe(project_root() / "conf", settings.name)
    if settings.format == "json":
        print(json.dumps(_written(system), indent=2))
    else:
        Terminal().table(system_table(system))


def system_table(system: System) -> TextTable:
    """A row for each thing that a recipe states."""
    table = TextTable(Column("", whole=True), "", title=f"{system.name}: {system.about}", has_headings=False)
    for name, text in _stated(system):
        if text:
            table.add_row(name, text)
    return table


def _stated(system: System) -> Iterator[tuple[str, str]]:
    yield "task", system.task
    yield "feature groups", ", ".join(system.feature_groups)
    yield "ranker", system.ranker.name
    yield "parameters", "\n".join(f"{name}: {value}" for name, value in system.ranker.parameters.items())
    yield "upstream", ", ".join(system.upstream)
    if system.paper:
        yield "paper", f"{system.paper.title}. {system.paper.where}, {system.paper.table}"
    yield "recipe is", system.faithfulness or ""
    yield "reproduces", system.reproduces
    yield "replaces", system.replaces
    yield "missing", system.missing
    for data, expected in system.expected.items():
        measures = ", ".join(f"{name} {100 * value:.2f}" for name, value in expected.measures.items())
        yield f"on {data}", f"{measures} ({expected.source})"


def _written(system: System) -> dict[str, Any]:
    return system.model_dump(mode="json", exclude_defaults=True)
