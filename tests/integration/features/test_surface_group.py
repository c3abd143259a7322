"""What is counted in a comment's text."""

from __future__ import annotations

from math import log

import pytest
from literal_community import Said, Thread, community_of
from pyspark.sql import SparkSession

from cqa_spark.features.featurize import compute_values
from cqa_spark.features.registry import group_class

_FLAGS = {
    "Thanks a lot": {"thanks"},
    "where is it ?": {"starts_as_question", "ends_in_question_mark"},
    "yes I think so": {"answers_yes_or_no", "thinks"},
    "PM me": {"private_message"},
    "mail bob@example.com now": {"emails"},
    'He said "never" loudly': {"quotes"},
    "lol what !!": {"laughs", "repeated_marks"},
    "@ali go to the souq": {"addresses_member", "advises", "place"},
    "nothing of that kind": set(),
}
_LENGTHS = "the car , the big car !"
_NUMBERS = "CALL Ali 5551234 or pay 300 QR"


@pytest.fixture(scope="module")
def surface(spark: SparkSession) -> dict[str, dict[str, float]]:
    """The features of each text."""
    texts = [_LENGTHS, _NUMBERS, "", *_FLAGS]
    inputs = community_of(spark, [Thread("Q1", "U9", [Said("U7", text) for text in texts])])
    rows = compute_values(group_class("comment_surface_v1")(), inputs).collect()
    found = {row["candidate_id"]: row.asDict() for row in rows}
    return {text: found[f"Q1_C{place}"] for place, text in enumerate(texts, start=1)}


def test_lengths(surface) -> None:
    found = surface[_LENGTHS]
    assert found["log_chars"] == pytest.approx(log(1 + 23))
    assert found["log_words"] == pytest.approx(log(1 + 5))
    assert found["sentences"] == 1.0
    assert found["words_per_sentence"] == 5.0
    assert found["mean_word_length"] == 3.0
    assert found["longest_word"] == 3.0
    assert found["type_token_ratio"] == pytest.approx(3 / 5)
    assert found["punctuation_share"] == pytest.approx(2 / 7)
    assert found["exclamation_marks"] == pytest.approx(log(2))


def test_capitals_and_numbers(surface) -> None:
    found = surface[_NUMBERS]
    assert found["capitals_share"] == pytest.approx(7 / 14)
    assert found["shouted_words"] == pytest.approx(log(2))
    assert found["numbers"] == pytest.approx(log(3))
    assert found["phone_numbers"] == 1.0
    assert found["money"] == 1.0
    assert found["starts_lower"] == 0.0


@pytest.mark.parametrize("text", _FLAGS)
def test_flags(surface, text: str) -> None:
    asked = set().union(*_FLAGS.values())
    assert {name for name in asked if surface[text][name] == 1.0} == _FLAGS[text]


def test_an_empty_text_has_a_value_everywhere(surface) -> None:
    assert all(value is not None for value in surface[""].values())
