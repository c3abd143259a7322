"""Similarity by words with similar spelling."""

from math import log, sqrt

import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair

from cqa_spark.features.groups.similarity.spelling_similarity import SpellingSimilarityV1
from cqa_spark.text.string_similarity import spelling_relation
from cqa_spark.text.terms import Collection

GROUP = SpellingSimilarityV1(Collection({"visa": 3, "visas": 1, "cost": 2}, 6, 10))


def test_words_are_related_by_edits_and_unrelated_below_half_of_their_characters() -> None:
    relation = spelling_relation(["kitten", "sitting", "kit", "visa"]).toarray()
    assert relation[0].tolist() == [1.0, pytest.approx(1.8 * (4 / 7) ** 5), pytest.approx(1.8 / 2**5), 0.0]
    assert (relation == relation.T).all()


def test_values_by_hand() -> None:
    [row] = values(GROUP, pairs_of([Pair("", "visa cost", "visas")]))
    visa, visas, cost = (log(7 / (1 + holding)) + 1 for holding in (3, 1, 2))
    related = 1.8 * 0.8**5
    assert row["query_soft_cosine"] == pytest.approx(related * visa * visas / (sqrt(visa**2 + cost**2) * visas))
    assert row["titles_soft_cosine"] == 0.0


@pytest.mark.parametrize("pair", [Pair("", "", ""), Pair("visa", "", ""), Pair("", "visa", "cost")])
def test_nothing_related_is_nothing(pair: Pair) -> None:
    assert [row["query_soft_cosine"] for row in values(GROUP, pairs_of([pair]))] == [0.0]


def test_other_queries_change_no_digit() -> None:
    words = [f"word{number}" for number in range(40)]
    pairs = [Pair("", " ".join(words[n::3]), " ".join(words[n % 5 :: 2] * (1 + n % 3))) for n in range(1, 30)]
    together = {row["query_soft_cosine"] for row in values(GROUP, pairs_of(pairs))}
    assert {row["query_soft_cosine"] for pair in pairs for row in values(GROUP, pairs_of([pair]))} == together
    assert len(together) > 20
