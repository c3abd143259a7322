"""What ``cqa features`` prints: the groups there are, and what a group's columns mean."""

from __future__ import annotations

from rich.table import Column
from rich.table import Table as Grid

from cqa_spark.features.group import FeatureGroup, FittedFeatureGroup
from cqa_spark.features.registry import family, group_class, known_groups


def list_groups() -> Grid:
    """All groups, one a row."""
    grid = Grid(
        Column("group", no_wrap=True), "family", "entity", "learns from", "columns", "about", title="Feature groups"
    )
    for name in known_groups():
        found = group_class(name)
        grid.add_row(name, family(name), _entity(found), _learns_from(found), str(len(found.columns)), found.about)
    return grid


def show_group(name: str) -> Grid:
    """The columns of one group, one a row, with meaning, source and the value that stands for "not known".

    Raises:
        ConfigError: an unknown group.
    """
    found = group_class(name)
    title = f"{name}: {found.about}"
    caption = f"entity: {_entity(found)}; learns from: {_learns_from(found)}"
    grid = Grid(Column("column", no_wrap=True), "meaning", "source", "missing", title=title, caption=caption)
    for column in found.columns:
        grid.add_row(column.name, column.about, column.source, f"{column.missing:g}")
    return grid


def _entity(found: type[FeatureGroup]) -> str:
    return found.entity.name.lower()


def _learns_from(found: type[FeatureGroup]) -> str:
    if not issubclass(found, FittedFeatureGroup):
        return "nothing"
    return "labels, cross-fitted" if found.learns_from_labels else "training texts"
