"""What groups declare, as plain data."""

from __future__ import annotations

from cqa_spark.features.catalogue import described


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
