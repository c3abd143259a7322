"""The hash of what feature groups compute changes with their values, and with nothing else."""

from typing import Any

import pytest

from cqa_spark.features import probe
from cqa_spark.features.group import FeatureColumn, FeatureGroup
from cqa_spark.features.probe import values_hash
from cqa_spark.features.registry import group_class
from cqa_spark.features.within_query import WithinQuery
from cqa_spark.systems.system import read_system

GROUPS = read_system("night_answers").feature_groups
COLUMNS = [(group, column.name) for group in GROUPS for column in group_class(group).columns]


def hash_with(monkeypatch: pytest.MonkeyPatch, changed: type[FeatureGroup]) -> str:
    """The hash, with a class in place of the group of its name."""
    with monkeypatch.context() as patch:
        patch.setattr(probe, "group_class", lambda name: changed)
        return values_hash([changed.name])


@pytest.mark.parametrize("name", GROUPS)
def test_other_words_in_another_module_are_the_same_computation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    group = group_class(name)
    reworded = tuple(FeatureColumn(each.name, "Otherwise said.", "s", each.missing) for each in group.columns)
    moved = type("Renamed", (group,), {"columns": reworded, "about": "other", "__module__": "elsewhere"})
    assert hash_with(monkeypatch, moved) == values_hash([name])


@pytest.mark.parametrize(("name", "column"), COLUMNS)
def test_another_value_of_any_column_is_another_computation(
    name: str, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    group: Any = group_class(name)

    def compute(self: Any, batch: Any) -> Any:
        values = group.compute(self, batch)
        return {**values, column: values[column] * 1.001 + 1e-6}

    assert hash_with(monkeypatch, type("Other", (group,), {"compute": compute})) != values_hash([name])


def test_what_a_group_imports_is_part_of_what_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: values_hash([name]) for name in GROUPS}
    monkeypatch.setattr(WithinQuery, "leads", lambda self, values: self.highest(values) > values)
    changed = {name for name in GROUPS if values_hash([name]) != before[name]}
    assert changed == {"answer_standing_asof_v1", "answer_markup_asof_v1"}


def test_another_value_in_place_of_unknown_ones_is_another_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    group = group_class("author_record_asof_v1")
    columns = tuple(FeatureColumn(each.name, each.about, each.source, 0.5) for each in group.columns)
    assert hash_with(monkeypatch, type("Other", (group,), {"columns": columns})) != values_hash([group.name])


@pytest.mark.parametrize("name", ["lexicon_v2", "overlap_v1", "badges_asof_v1", "retrieval_v1"])
def test_of_groups_that_learn_or_read_more_the_declaration_is_hashed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their names have versions, which state what is computed."""
    group = group_class(name)
    assert hash_with(monkeypatch, type("Same", (group,), {})) == values_hash([name])
    first, *rest = group.columns
    renamed = (FeatureColumn("renamed", first.about, first.source, first.missing), *rest)
    assert hash_with(monkeypatch, type("Other", (group,), {"columns": renamed})) != values_hash([name])
