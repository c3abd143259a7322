"""What groups declare, as plain data."""

from __future__ import annotations

from cqa_spark.features.catalogue import described, meanings


def test_a_group_is_described_with_meaning_source_and_missing_value() -> None:
    group = described("author_activity_v1")
    assert (group["entity"], group["family"], group["learns_from"]) == ("author", "author", "training texts")
    (column,) = [each for each in group["columns"] if each["name"] == "log_questions"]
    assert column["about"] == "ln(1 + questions asked)"
    assert "Nicosia et al. 2015" in column["source"]
    assert column["missing"] == -1


def test_what_a_group_learns_from_is_described() -> None:
    assert described("lexicon_v2")["learns_from"] == "labels, cross-fitted"
    assert described("dialogue_v1")["learns_from"] == "nothing"


def test_feature_columns_have_the_meaning_that_their_group_declares() -> None:
    assert meanings(["lexicon_v2__log_odds", "gone_v1__words", "lexicon_v2__gone"]) == {
        "lexicon_v2__log_odds": "log-odds of being relevant"
    }
