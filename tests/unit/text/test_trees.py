"""Columns of a kernel of pairs of trees."""

from pathlib import Path

import numpy as np
import pytest
from literal_trees import tree

from cqa_spark.errors import ContractError
from cqa_spark.lake.model_folder import new_model_folder, open_model_folder
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.text.tree_kernel import Landmarks, compare_all
from cqa_spark.text.trees import MOST_WORDS, NO_PARENT, Forest, Tree, is_tree, label_number, shallow_tree

STORAGE = ObjectStorageSettings()
QUERIES = [tree("(S (NP (N visa)) (VP (V costs)))"), tree("(S (NP (N bank)))"), tree("(S (VP (V go)))")]
CANDIDATES = [tree("(S (NP (N rial)))"), tree("(S (NP (N visa)) (VP (V costs)))"), tree("(S (N yes))")]
"""The first two candidates and queries have words of their own: the kernel matrix is not singular."""


def kernel() -> np.ndarray:
    queries, candidates = Forest.of(QUERIES), Forest.of(CANDIDATES)
    return (compare_all(queries, queries) + compare_all(candidates, candidates)) / 2


def test_inner_products_of_the_landmarks_are_the_kernel() -> None:
    columns = Landmarks(QUERIES, CANDIDATES).columns(QUERIES, CANDIDATES)
    assert columns @ columns.T == pytest.approx(kernel(), abs=1e-9)


def test_other_pairs_are_projected_on_what_the_landmarks_span() -> None:
    columns = Landmarks(QUERIES[:1], CANDIDATES[:1]).columns(QUERIES, CANDIDATES)
    assert columns == pytest.approx(kernel()[:, :1], abs=1e-12)


def test_a_landmark_that_is_there_twice_adds_nothing() -> None:
    once = Landmarks(QUERIES, CANDIDATES).columns(QUERIES, CANDIDATES)
    twice = Landmarks([*QUERIES, QUERIES[0]], [*CANDIDATES, CANDIDATES[0]]).columns(QUERIES, CANDIDATES)
    assert twice @ twice.T == pytest.approx(once @ once.T, abs=1e-9)


def test_values_do_not_depend_on_other_pairs() -> None:
    landmarks = Landmarks(QUERIES, CANDIDATES)
    together = landmarks.columns(QUERIES, CANDIDATES)
    alone = [landmarks.columns([query], [candidate])[0] for query, candidate in zip(QUERIES, CANDIDATES, strict=True)]
    assert np.array_equal(together, np.array(alone))
    assert landmarks.columns([], []).shape == (0, 3)


def test_saved_and_loaded(tmp_path: Path) -> None:
    landmarks = Landmarks(QUERIES, CANDIDATES)
    with new_model_folder(str(tmp_path), "feature_groups", STORAGE) as folder:
        landmarks.save(folder)
    loaded = Landmarks.load(open_model_folder(str(tmp_path), "feature_groups", STORAGE))
    assert np.array_equal(loaded.columns(QUERIES, CANDIDATES), landmarks.columns(QUERIES, CANDIDATES))


def test_arrays_that_are_no_tree_are_refused(tmp_path: Path) -> None:
    outside = Tree(QUERIES[0].labels, np.full(len(QUERIES[0].labels), 10**9))
    with new_model_folder(str(tmp_path), "feature_groups", STORAGE) as folder:
        Landmarks([outside], CANDIDATES[:1]).save(folder)
    with pytest.raises(ContractError, match="contains a row that is not a tree"):
        Landmarks.load(open_model_folder(str(tmp_path), "feature_groups", STORAGE))


# Shallow trees of literal sentences.


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
