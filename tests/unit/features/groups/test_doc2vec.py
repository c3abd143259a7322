"""Paragraph vectors of both texts."""

import numpy as np
import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair

from cqa_spark.features.groups.doc2vec import Doc2VecV1
from cqa_spark.text.paragraph_vectors import DIMENSIONS, ParagraphVectors

pytestmark = pytest.mark.neural


@pytest.fixture
def vectors() -> ParagraphVectors:
    """The output weights of beer and water point in opposite directions of the first dimension."""
    output = np.zeros((3, DIMENSIONS))
    output[:, 0] = [0.0, 1.0, -1.0]
    # Frequent words are passed over at random, so that only a rare one is seen each time.
    return ParagraphVectors(("the", "beer", "water"), (10_000_000, 10, 10), output)


def test_the_vector_of_a_text_moves_towards_its_words_and_away_from_others(vectors: ParagraphVectors) -> None:
    beer, water, both, unknown = vectors.infer([["beer"] * 4, ["water"] * 4, ["beer", "wine", "water"], ["wine"]])
    assert beer[0] > 0.1
    assert water[0] < -0.1
    assert abs(both[0]) < beer[0]
    assert not beer[1:].any()
    assert np.isnan(unknown).all()


def test_a_vector_does_not_depend_on_the_texts_before(vectors: ParagraphVectors) -> None:
    texts = [["beer", "water", "beer"], ["water"]]
    assert vectors.infer(texts)[::-1].tolist() == vectors.infer(texts[::-1]).tolist()


def test_each_pair_has_the_vectors_of_both_texts(vectors: ParagraphVectors) -> None:
    first, second = values(Doc2VecV1(vectors), pairs_of([Pair("", "beer", "water water"), Pair("", "beer", "wine")]))
    assert first["query_0"] > 0 > first["candidate_0"]
    assert second["query_0"] == first["query_0"]
    assert second["candidate_0"] is None
