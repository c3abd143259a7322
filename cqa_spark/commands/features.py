"""``cqa features``: lists of feature groups, as tables of 80 columns or as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from cqa_spark.features.registry import FEATURE_GROUPS, described
from cqa_spark.plugins import OURS
from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.settings.file_commands import CatalogueSettings, ShowGroupSettings


def print_groups(settings: CatalogueSettings) -> None:
    """Print all feature groups."""
    groups = [described(name) for name in FEATURE_GROUPS.load_all()]
    if settings.format == "json":
        print(json.dumps(groups, indent=2))
    else:
        Terminal().table(groups_table(groups))


def groups_table(groups: list[Mapping[str, Any]]) -> TextTable:
    """A row for each group, as ``described`` gives it."""
    first = Column("group", whole=True)
    caption = "family, sources and what a group learns from: cqa features show NAME"
    rows = ((group["name"], group["entity"], str(len(group["columns"])), with_origin(group)) for group in groups)
    return TextTable(first, "entity", number("columns"), "about", title="Feature groups", caption=caption, rows=rows)


def with_origin(entry: Mapping[str, Any]) -> str:
    """The description of an entry, and where it comes from unless it is ours."""
    return entry["about"] if entry["origin"].startswith(OURS) else f"{entry['about']} ({entry['origin']})"


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
    rows = ((each["name"], each["about"], each["source"], f"{each['missing']:g}") for each in group["columns"])
    return TextTable("column", "meaning", "source", number("missing"), title=title, caption=caption, rows=rows)
