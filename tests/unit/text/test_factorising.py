"""Fewer dimensions for a table of which words stand near each other."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cqa_spark.text.word_vectors import DIMENSIONS, factorise, mutual_information


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
    near = pd.DataFrame({"one": [0, 0], "other": [1, 2], "times": [3, 1]})
    found = mutual_information(near, 3).toarray()
    contexts = np.array([4, 3, 1]) ** 0.75
    assert found[0].tolist() == pytest.approx(
        [0.0, *[max(0.0, np.log(times * contexts.sum() / (4 * contexts[n]))) for n, times in ((1, 3), (2, 1))]]
    )
    assert found[1].tolist() == pytest.approx([np.log(3 * contexts.sum() / (3 * contexts[0])), 0.0, 0.0])


def test_a_word_beside_itself_counts_from_both_sides() -> None:
    near = pd.DataFrame({"one": [0], "other": [0], "times": [2]})
    assert mutual_information(near, 2).nnz == 0
