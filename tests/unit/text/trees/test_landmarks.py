"""Columns of a kernel of pairs of trees."""

from pathlib import Path

import numpy as np
import pytest
from literal_trees import tree

from cqa_spark.errors import ContractError
from cqa_spark.lake.model_folder import new_model_folder, open_model_folder
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.text.tree_kernel import Landmarks, compare_all
from cqa_spark.text.trees import Forest, Tree

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
