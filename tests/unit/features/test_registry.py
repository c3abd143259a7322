"""Groups are registered, and named without doubt."""

import re

import pytest

from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import check_declaration, family, group_class, known_groups


class _Group(QueryGroup):
    name = "shoe_size_v1"
    family = "body"
    about = "shoes"
    entity = Entity.AUTHOR
    columns = (FeatureColumn("size", "centimetres", "ours"),)

    def compute(self, batch: QueryBatch) -> Values:
        raise NotImplementedError


def test_groups_are_listed_in_alphabetical_order() -> None:
    assert {
        "author_activity_v2",
        "author_quality_v2",
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


@pytest.mark.parametrize(
    ("name", "declared", "problem"),
    [
        ("shoe_size_v2", {}, r"Changed of .* is registered as shoe_size_v2"),
        *(
            (name, {"name": name}, "has no version")
            for name in ("shoe_size", "shoe_size_v0", "ShoeSize_v1", "size_v1b")
        ),
        ("shoe_size_v1", {"family": ""}, r"shoe_size_v1, Changed of .*, declares no family"),
        ("shoe_size_v1", {"columns": _Group.columns * 2}, "declares size twice"),
        ("shoe_size_v1", {"columns": ()}, "declares no columns"),
    ],
)
def test_a_group_with_a_mistake_in_its_declaration_is_refused(
    name: str, declared: dict[str, object], problem: str
) -> None:
    with pytest.raises(ContractError, match=problem):
        check_declaration(name, type("Changed", (_Group,), declared))
