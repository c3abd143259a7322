"""Similarity of texts by the vectors of their words."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.text.word_vectors import Bag, Vocabulary, compare_meaning, without

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
