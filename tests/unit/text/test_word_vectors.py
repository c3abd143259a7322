"""Similarity of texts by the vectors of their words."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cqa_spark.text.word_vectors import (
    DIMENSIONS,
    Bag,
    Vocabulary,
    compare_meaning,
    factorise,
    mutual_information,
    without,
)

# "flat" lies between "house" and "villa", which are at right angles; "flat" is rarer.
_WORDS = pd.DataFrame(
    {
        "word": ["house", "villa", "flat"],
        "vector": [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]],
        "document_frequency": [9, 9, 4],
        "occurrences": [20, 10, 5],
    }
)
_NOTHING = np.zeros(2)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary.of(_WORDS, documents=9, occurrences=1000)


def test_words_are_weighed_by_their_rarity(vocabulary: Vocabulary) -> None:
    assert vocabulary.idf == pytest.approx([1.0, 1.0, 1 + np.log(10 / 5)])
    assert vocabulary.smooth == pytest.approx([1e-3 / (1e-3 + times / 1000) for times in (20, 10, 5)])


def test_a_bag_counts_known_words(vocabulary: Vocabulary) -> None:
    bag = vocabulary.bag(["flat", "unheard", "house", "flat"])
    assert bag is not None
    assert bag.times.tolist() == [1.0, 2.0]
    assert bag.vectors.tolist() == [[1.0, 0.0], [0.6, 0.8]]
    assert vocabulary.bag(["unheard"]) is vocabulary.bag([]) is None


def test_similarities_by_hand(vocabulary: Vocabulary) -> None:
    one, other = vocabulary.bag(["house", "villa"]), vocabulary.bag(["flat"])
    assert one is not None
    assert other is not None
    found = compare_meaning(one, [other], _NOTHING)
    assert (found["plain_cosine"], found["idf_cosine"]) == (pytest.approx(1.4 / sqrt(2)), pytest.approx(1.4 / sqrt(2)))
    house, villa = 1e-3 / 21e-3, 1e-3 / 11e-3
    assert found["smooth_cosine"] == pytest.approx((0.6 * house + 0.8 * villa) / np.hypot(house, villa))
    assert found["answered"] == pytest.approx((0.6 + 0.8) / 2)
    assert found["repeated"] == pytest.approx(0.8)
    assert found["movers_distance"] == pytest.approx((sqrt(0.8) + sqrt(0.4)) / 2)
    assert found["soft_cosine"] == pytest.approx((0.36 + 0.64) / sqrt(2))


def test_rare_words_count_more_in_an_alignment(vocabulary: Vocabulary) -> None:
    one, other = vocabulary.bag(["house", "flat"]), vocabulary.bag(["house"])
    assert one is not None
    assert other is not None
    rare = 1 + np.log(2)
    assert compare_meaning(one, [other], _NOTHING)["answered"] == pytest.approx((1 + rare * 0.6) / (1 + rare))


def test_what_all_texts_say_is_taken_out() -> None:
    assert without(np.array([3.0, 4.0]), np.array([1.0, 0.0])).tolist() == [0.0, 4.0]


@st.composite
def bags(draw: st.DrawFn) -> Bag:
    size = draw(st.integers(1, 5))
    numbers = st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 0.01), min_size=3, max_size=3)
    vectors = np.array(draw(st.lists(numbers, min_size=size, max_size=size)))
    weights = st.lists(st.floats(0.1, 5), min_size=size, max_size=size).map(np.array)
    return Bag(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), draw(weights), draw(weights), draw(weights))


def _compared(one: Bag, other: Bag) -> dict[str, float]:
    return {name: value.item() for name, value in compare_meaning(one, [other], np.zeros(3)).items()}


def test_a_text_is_compared_with_each_of_others(vocabulary: Vocabulary) -> None:
    one, *others = (
        vocabulary.bag(words.split()) for words in ("house villa", "flat flat house", "villa", "house flat")
    )
    assert one is not None
    bags = [other for other in others if other is not None]
    apart = [compare_meaning(one, [bag], np.array([0.8, 0.6])) for bag in bags]
    for name, values in compare_meaning(one, bags, np.array([0.8, 0.6])).items():
        assert values == pytest.approx(np.concatenate([found[name] for found in apart]))


@given(bags(), bags())
def test_every_similarity_keeps_its_range_and_takes_no_side(one: Bag, other: Bag) -> None:
    found, mirrored = _compared(one, other), _compared(other, one)
    slack = 1e-9
    cosines = found | {"movers_distance": 0.0}
    assert all(-1 - slack <= value <= 1 + slack for value in cosines.values())
    assert 0 <= found["movers_distance"] <= 2 + slack
    assert found["soft_cosine"] >= 0
    assert found == pytest.approx(mirrored | {"answered": mirrored["repeated"], "repeated": mirrored["answered"]})


@given(bags())
def test_a_text_means_what_it_means(bag: Bag) -> None:
    found = _compared(bag, bag)
    # A mean may vanish where words are opposites; it has no direction then.
    assert [found[name] for name in ("answered", "repeated", "soft_cosine")] == pytest.approx([1.0] * 3)
    assert found["movers_distance"] == pytest.approx(0.0, abs=1e-6)


# Fewer dimensions for a table of which words stand near each other.


def test_words_with_equal_neighbours_get_equal_vectors_of_length_1() -> None:
    rows = [[0, 0, 2, 3], [0, 0, 2, 3], [2, 2, 0, 0], [3, 3, 0, 0]]
    vectors = factorise(sparse.csr_matrix(np.array(rows, dtype=float)))
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)
    assert vectors[0] @ vectors[2] == pytest.approx(0.0, abs=1e-6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)


def test_a_word_that_goes_with_nothing_has_no_direction() -> None:
    vectors = factorise(sparse.csr_matrix(np.array([[1.0, 0.0], [0.0, 0.0]])))
    assert np.abs(vectors[0]).max() == pytest.approx(1.0)
    assert vectors[1].tolist() == [0.0, 0.0]
    assert factorise(sparse.csr_matrix((3, 3))).tolist() == np.zeros((3, 3)).tolist()


def test_there_are_never_more_dimensions_than_asked_for() -> None:
    many = sparse.random(150, 150, density=0.2, random_state=1, format="csr")
    assert factorise(many + many.T).shape == (150, DIMENSIONS)


def test_mutual_information_by_hand() -> None:
    near = pd.DataFrame({"first": [0, 0], "second": [1, 2], "times": [3, 1]})
    found = mutual_information(near, 3).toarray()
    contexts = np.array([4, 3, 1]) ** 0.75
    assert found[0].tolist() == pytest.approx(
        [0.0, *[max(0.0, np.log(times * contexts.sum() / (4 * contexts[n]))) for n, times in ((1, 3), (2, 1))]]
    )
    assert found[1].tolist() == pytest.approx([np.log(3 * contexts.sum() / (3 * contexts[0])), 0.0, 0.0])


def test_a_word_beside_itself_counts_from_both_sides() -> None:
    near = pd.DataFrame({"first": [0], "second": [0], "times": [2]})
    assert mutual_information(near, 2).nnz == 0
