"""Groups are found by dropping a module in, and named without doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

import pytest
from numpy.typing import ArrayLike

from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, QueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import family, group_class, index_by_name, known_groups


class _Group(QueryGroup):
    name: ClassVar[str] = "shoe_size_v1"
    family: ClassVar[str] = "body"
    about: ClassVar[str] = "shoes"
    entity: ClassVar[Entity] = Entity.AUTHOR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (FeatureColumn("size", "centimetres", "ours"),)

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        raise NotImplementedError


def test_every_module_of_the_groups_folder_is_found() -> None:
    assert {
        "author_activity_v1",
        "author_quality_v1",
        "comment_surface_v1",
        "dialogue_v1",
        "goodness_pmi_v1",
        "lexicon_v2",
    } <= set(known_groups())
    assert list(known_groups()) == sorted(known_groups())


def test_a_group_declares_its_family() -> None:
    assert family("overlap_v1") == "similarity"
    assert family("lexicon_v2") == "quality"
    assert {family(name) for name in known_groups()} == {
        "answer",
        "answer_text",
        "answer_votes",
        "author",
        "badges",
        "comments",
        "dialogue",
        "doc2vec",
        "quality",
        "question",
        "rank",
        "similarity",
        "syntax",
        "tags",
        "user",
        "user_tags",
    }


@pytest.mark.parametrize("name", known_groups())
def test_every_column_is_documented(name: str) -> None:
    found = group_class(name)
    assert found.name == name
    assert found.about
    assert all(column.about and column.source for column in found.columns)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column.name) for column in found.columns)


def test_a_misspelt_name_is_answered_with_close_and_known_names() -> None:
    with pytest.raises(ConfigError) as caught:
        group_class("dialog_v1")
    assert caught.value.problem == "unknown feature group dialog_v1"
    assert "did you mean dialogue_v1" in caught.value.remedy
    assert all(name in caught.value.remedy for name in known_groups())


def test_groups_are_indexed_in_alphabetical_order() -> None:
    other = type("Other", (_Group,), {"name": "arm_length_v2"})
    assert list(index_by_name([_Group, other])) == ["arm_length_v2", "shoe_size_v1"]


def test_two_groups_of_one_name_are_refused() -> None:
    twin = type("Twin", (_Group,), {})
    with pytest.raises(ContractError, match="two feature groups are named shoe_size_v1"):
        index_by_name([_Group, twin])


@pytest.mark.parametrize("name", ["shoe_size", "shoe_size_v0", "ShoeSize_v1", "shoe_size_v1b"])
def test_a_name_without_a_version_is_refused(name: str) -> None:
    with pytest.raises(ContractError, match="has no version"):
        index_by_name([type("Unversioned", (_Group,), {"name": name})])


def test_a_group_without_a_family_is_refused() -> None:
    orphan = type("Orphan", (FeatureGroup,), {"name": "shoe_size_v1", "columns": _Group.columns})
    with pytest.raises(ContractError, match=r"shoe_size_v1 of .* declares no family"):
        index_by_name([orphan])


def test_a_column_that_is_declared_twice_is_refused() -> None:
    with pytest.raises(ContractError, match="declares size twice"):
        index_by_name([type("Doubled", (_Group,), {"columns": _Group.columns * 2})])


def test_a_group_without_columns_is_refused() -> None:
    with pytest.raises(ContractError, match="declares no columns"):
        index_by_name([type("Empty", (_Group,), {"columns": ()})])
