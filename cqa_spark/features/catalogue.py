"""What ``cqa features`` prints: the groups there are, and what a group's columns mean."""

from __future__ import annotations

from cqa_spark.features.group import FeatureGroup, LearningGroup, learns_from_labels
from cqa_spark.features.registry import family, group_class, known_groups
from cqa_spark.process.terminal import Column, TextTable, number


def list_groups() -> TextTable:
    """All groups, one a row."""
    first = Column("group", whole=True)
    table = TextTable(first, "family", "entity", "learns from", number("columns"), "about", title="Feature groups")
    for name in known_groups():
        found = group_class(name)
        table.add_row(name, family(name), found.entity.value, _learns_from(found), str(len(found.columns)), found.about)
    return table


def show_group(name: str) -> TextTable:
    """The columns of one group, one a row, with meaning, source and the value that stands for "not known".

    Raises:
        ConfigError: an unknown group.
    """
    found = group_class(name)
    title = f"{name}: {found.about}"
    caption = f"entity: {found.entity.value}; learns from: {_learns_from(found)}"
    first = Column("column", whole=True)
    table = TextTable(first, "meaning", "source", number("missing"), title=title, caption=caption)
    for column in found.columns:
        table.add_row(column.name, column.about, column.source, f"{column.missing:g}")
    return table


def _learns_from(found: type[FeatureGroup]) -> str:
    if not issubclass(found, LearningGroup):
        return "nothing"
    return "labels, cross-fitted" if learns_from_labels(found) else "training texts"
