"""What groups declare, as plain data."""

import pytest

from cqa_spark.features.groups.author.badges import BadgeNames, BadgesAsOfV1
from cqa_spark.features.groups.author.u_tags import UTagsAsOfV1
from cqa_spark.features.groups.question.q_tags import QTagsAsOfV1
from cqa_spark.features.registry import described, meanings
from cqa_spark.features.top_tags import TopTags


def test_a_group_is_described_with_meaning_source_and_missing_value() -> None:
    group = described("author_activity_v2")
    assert (group["entity"], group["family"], group["learns_from"]) == ("candidate", "author", "training texts")
    (column,) = [each for each in group["columns"] if each["name"] == "log_questions"]
    assert column["about"] == "ln(1 + other questions asked)"
    assert "Nicosia et al. 2015" in column["source"]
    assert column["missing"] == -1


def test_what_a_group_learns_from_is_described() -> None:
    assert described("lexicon_v2")["learns_from"] == "labels, cross-fitted"
    assert described("dialogue_v1")["learns_from"] == "nothing"


def test_feature_columns_have_the_meaning_that_their_group_declares() -> None:
    assert meanings(["lexicon_v2__log_odds", "gone_v1__words", "lexicon_v2__gone"]) == {
        "lexicon_v2__log_odds": "log-odds of being relevant"
    }


def test_numbered_badges_are_named() -> None:
    badges = BadgesAsOfV1(BadgeNames(names=["Teacher", "Student"]))
    assert badges.meanings() == {
        "badge_001": "1 if the user had before the cut the badge Teacher",
        "badge_002": "1 if the user had before the cut the badge Student",
    }
    assert badges.meanings().keys() <= {column.name for column in badges.columns}


@pytest.mark.parametrize(
    ("group", "column", "about"),
    [
        (QTagsAsOfV1, "tag_02", "share of the tag ale among the question's tags that have a number"),
        (UTagsAsOfV1, "accepted_02", "share of the tag ale among the numbered tags of the user's accepted answers"),
    ],
)
def test_numbered_tags_of_a_single_site_are_named(group, column: str, about: str) -> None:
    one, two = {"beer": ["stout", "ale"]}, {"beer": ["stout", "ale"], "wine": ["red"]}
    assert group(TopTags(by_site=one)).meanings()[column] == about
    assert column in {each.name for each in group.columns}
    assert group(TopTags(by_site=two)).meanings() == {}
