"""Groups are registered, and named without doubt."""

import re
from collections.abc import Mapping
from typing import ClassVar

import pytest
from numpy.typing import ArrayLike

from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, QueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import check_declaration, family, group_class, known_groups


class _Group(QueryGroup):
    name: ClassVar[str] = "shoe_size_v1"
    family: ClassVar[str] = "body"
    about: ClassVar[str] = "shoes"
    entity: ClassVar[Entity] = Entity.AUTHOR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (FeatureColumn("size", "centimetres", "ours"),)

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        raise NotImplementedError


def test_groups_are_listed_in_alphabetical_order() -> None:
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
        "answer", "answer_text", "answer_time", "answer_votes", "author", "badges", "comments", "dialogue", "doc2vec",
        "quality", "question", "rank", "similarity", "syntax", "tags", "user", "user_tags",
    }  # fmt: skip


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
    assert caught.value.remedy.startswith("did you mean dialogue_v1 or ")
    assert caught.value.remedy.endswith(f"? cqa features list lists all {len(known_groups())} feature groups")


def test_a_group_that_is_registered_under_another_name_is_refused() -> None:
    with pytest.raises(ContractError, match=r"_Group of .* is registered as shoe_size_v2"):
        check_declaration("shoe_size_v2", _Group)


@pytest.mark.parametrize("name", ["shoe_size", "shoe_size_v0", "ShoeSize_v1", "shoe_size_v1b"])
def test_a_name_without_a_version_is_refused(name: str) -> None:
    with pytest.raises(ContractError, match="has no version"):
        check_declaration(name, type("Unversioned", (_Group,), {"name": name}))


def test_a_group_without_a_family_is_refused() -> None:
    orphan = type("Orphan", (FeatureGroup,), {"name": "shoe_size_v1", "columns": _Group.columns})
    with pytest.raises(ContractError, match=r"shoe_size_v1, Orphan of .*, declares no family"):
        check_declaration("shoe_size_v1", orphan)


def test_a_column_that_is_declared_twice_is_refused() -> None:
    with pytest.raises(ContractError, match="declares size twice"):
        check_declaration("shoe_size_v1", type("Doubled", (_Group,), {"columns": _Group.columns * 2}))


def test_a_group_without_columns_is_refused() -> None:
    with pytest.raises(ContractError, match="declares no columns"):
        check_declaration("shoe_size_v1", type("Empty", (_Group,), {"columns": ()}))
