"""Links, addresses, numbers, names and lengths of a pair."""

from __future__ import annotations

from math import log

import pytest
from literal_pairs import Pair, pairs_of
from pyspark.sql import Row, SparkSession

from cqa_spark.features.featurize import compute_values
from cqa_spark.features.groups.thread.shared_things import SharedThingsV1

_PAIRS = (
    Pair(
        "Gym near Villaggio Mall , Doha",
        "see http://www.Gym.com/a. or mail Me@x.qa , 500 QR",
        "Ask at villaggio or Gym.COM/a , www.gym.com/a or http://y.org 44,123 and 500 QR me@x.qa you@x.qa",
    ),
    Pair("hello", "", ""),
)


@pytest.fixture(scope="module")
def values(spark: SparkSession) -> dict[str, Row]:
    return {row.query_id: row for row in compute_values(SharedThingsV1(), pairs_of(spark, _PAIRS)).collect()}


def test_links_and_addresses_are_compared_without_case_and_prefix(values: dict[str, Row]) -> None:
    found = values["Q1"]
    # The bare "Gym.COM/a" is no address; "www.gym.com/a" and "http://www.Gym.com/a." are one.
    assert (found.urls_shared, found.urls_answered, found.urls_new) == pytest.approx((log(2), 1.0, log(2)))
    assert (found.emails_shared, found.emails_answered, found.emails_new) == pytest.approx((log(2), 1.0, log(2)))


def test_numbers_are_compared_by_their_digits(values: dict[str, Row]) -> None:
    found = values["Q1"]
    assert (found.numbers_shared, found.numbers_answered, found.numbers_new) == pytest.approx((log(2), 1.0, log(2)))


def test_names_are_capitalised_words_inside_a_sentence(values: dict[str, Row]) -> None:
    found = values["Q1"]
    # The query names Villaggio, Mall, Doha, Me and QR; the candidate Gym and QR.
    # It mentions villaggio; the words of these literals keep their case, so QR is not among them in lower case.
    assert found.names_shared == pytest.approx(log(2))
    assert found.names_answered == 1 / 5
    assert found.names_new == pytest.approx(log(2))
    assert found.names_mentioned == 1 / 5


def test_lengths_are_those_of_the_candidate_over_those_of_the_query(values: dict[str, Row]) -> None:
    query, candidate = (" ".join(f"{_PAIRS[0].subject} {_PAIRS[0].body}".split()), _PAIRS[0].comment)
    found = values["Q1"]
    assert found.chars_ratio == pytest.approx(log((1 + len(candidate)) / (1 + len(query))))
    assert found.words_ratio == pytest.approx(log((1 + len(candidate.split())) / (1 + len(query.split()))))
    assert found.sentences_ratio == 0.0


def test_an_empty_comment_shares_nothing(values: dict[str, Row]) -> None:
    found = values["Q2"].asDict()
    assert found.pop("words_ratio") == pytest.approx(-log(2))
    assert found.pop("chars_ratio") == pytest.approx(-log(6))
    assert {found[name] for name in found if name not in ("site", "query_id", "candidate_id")} == {0.0}
