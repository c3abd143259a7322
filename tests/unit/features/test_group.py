"""What a group class promises before any table is read."""

import pytest

from cqa_spark.errors import ContractError
from cqa_spark.features.feature_table import feature_names, feature_table
from cqa_spark.features.group import Entity, FittedQueryGroup
from cqa_spark.features.registry import group_class


@pytest.mark.parametrize("entity", [Entity.AUTHOR, Entity.QUESTION])
def test_a_group_that_learns_from_labels_describes_what_has_one_fold(entity: Entity) -> None:
    with pytest.raises(ContractError, match=f"fame_v1 learns from labels but describes the {entity.value}"):
        type("Fame", (FittedQueryGroup,), {"name": "fame_v1", "entity": entity, "learns_from_labels": True})


@pytest.mark.parametrize(("entity", "learns"), [(Entity.PAIR, True), (Entity.CANDIDATE, True), (Entity.AUTHOR, False)])
def test_other_fitted_groups_are_welcome(entity: Entity, learns: bool) -> None:
    fame = type("Fame", (FittedQueryGroup,), {"name": "fame_v1", "entity": entity, "learns_from_labels": learns})
    assert (fame.entity, fame.learns_from_labels) == (entity, learns)


def test_the_table_of_values_has_a_struct_for_each_group() -> None:
    table = feature_table(map(group_class, ["lexicon_v2", "author_activity_v2"]))
    assert table.name == "features"
    assert table.key == ("site", "query_id", "candidate_id", "pass_key")
    assert table.schema.fieldNames() == [*table.key, "lexicon_v2", "author_activity_v2"]
    columns = table.schema["author_activity_v2"].dataType
    assert columns.fieldNames()[:2] == ["log_comments", "log_threads"]
    assert columns["log_comments"].metadata["comment"].startswith("ln(1 + comments elsewhere) (")


def test_feature_names_follow_the_order_of_groups_then_columns() -> None:
    names = feature_names(["lexicon_v2", "author_activity_v2"])
    assert names[:3] == ("lexicon_v2__log_odds", "lexicon_v2__probability", "author_activity_v2__log_comments")
