"""What a group class promises before any table is read."""

from __future__ import annotations

import pytest

from cqa_spark.errors import ContractError
from cqa_spark.features.assembly import feature_names
from cqa_spark.features.group import Entity, FittedTableGroup
from cqa_spark.features.registry import group_class


@pytest.mark.parametrize("entity", [Entity.AUTHOR, Entity.QUESTION])
def test_a_group_that_learns_from_labels_cannot_share_values_between_folds(entity: Entity) -> None:
    with pytest.raises(ContractError, match=f"fame_v1 learns from labels but describes the {entity.name.lower()}"):
        type("Fame", (FittedTableGroup,), {"name": "fame_v1", "entity": entity, "learns_from_labels": True})


@pytest.mark.parametrize(("entity", "learns"), [(Entity.PAIR, True), (Entity.CANDIDATE, True), (Entity.AUTHOR, False)])
def test_other_fitted_groups_are_welcome(entity: Entity, learns: bool) -> None:
    type("Fame", (FittedTableGroup,), {"name": "fame_v1", "entity": entity, "learns_from_labels": learns})


def test_the_table_of_a_group_is_keyed_by_its_entity() -> None:
    table = group_class("author_activity_v1").table()
    assert table.name == "features_author_activity_v1"
    assert table.key == ("site", "author_id")
    assert table.schema.fieldNames()[:3] == ["site", "author_id", "known"]
    assert table.schema["log_comments"].metadata["comment"].startswith("ln(1 + comments written) (")


def test_feature_names_follow_the_order_of_groups_then_columns() -> None:
    names = feature_names(["lexicon_v2", "author_activity_v1"])
    assert names[:3] == ("lexicon_v2__log_odds", "lexicon_v2__probability", "author_activity_v1__known")
