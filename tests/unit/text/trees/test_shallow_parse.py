"""Shallow trees of literal sentences."""

import numpy as np
import pytest
from literal_trees import tree

from cqa_spark.text.trees import MOST_WORDS, NO_PARENT, Tree, is_tree, label_number, shallow_tree


def same(one: Tree, other: Tree) -> bool:
    return np.array_equal(one.labels, other.labels) and np.array_equal(one.parents, other.parents)


def test_sentences_chunks_parts_of_speech_and_stems() -> None:
    found = shallow_tree(["I want the forms.", "Thanks!"], {"want": "want", "forms": "form", "thanks": "thank"})
    expected = """
        (ROOT (S (NP (PRP =i)) (VP (VBP =want)) (NP (DT =the) (NNS =form)) (. =.))
              (S (NP (NNS =thank)) (. =!)))"""
    assert same(found, tree(expected))


def test_a_text_without_words_is_a_root() -> None:
    assert same(shallow_tree([], {}), tree("ROOT"))
    assert same(shallow_tree(["  "], {}), tree("ROOT"))


def test_a_long_text_is_cut() -> None:
    found = shallow_tree(["fish " * (MOST_WORDS - 1), "fish fish fish"], {})
    assert np.count_nonzero(found.labels == label_number("=fish")) == MOST_WORDS


def test_shared_words_mark_their_part_of_speech_and_chunk_as_related() -> None:
    plain = tree("(ROOT (S (NP (DT =the) (NN =bank)) (VP (VBZ =open)) (. =.)))")
    shared = np.array([label_number("=bank"), label_number("=.")])
    related = plain.relate(shared)
    marked = np.flatnonzero(related.labels != plain.labels).tolist()
    named = {label_number(name): name for name in ("NP", "NN", ".")}
    assert [named[plain.labels[node]] for node in marked] == ["NN", "NP", "."]
    assert same(plain.relate(np.array([label_number("=visa")])), plain)
    assert same(tree("ROOT").relate(np.array([label_number("ROOT")])), tree("ROOT"))


@pytest.mark.parametrize(
    ("labels", "parents"),
    [
        ([], []),
        ([2, 4], [NO_PARENT]),
        ([2, 4], [NO_PARENT, NO_PARENT]),
        ([2, 4], [5, NO_PARENT]),
        ([2, 4, 6], [2, 0, NO_PARENT]),
        ([2, 4], [0, NO_PARENT]),
        ([2, 4], [1, 0]),
    ],
)
def test_arrays_that_are_no_tree(labels: list[int], parents: list[int]) -> None:
    assert not is_tree(Tree(np.array(labels, dtype=np.int64), np.array(parents, dtype=np.int64)))
    assert is_tree(tree("(A B C)"))
