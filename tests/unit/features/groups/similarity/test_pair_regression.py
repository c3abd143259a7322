"""Similarity of two texts by their embeddings."""

import numpy as np
import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.similarity.pair_regression import (
    L2,
    BgePairRegressionV1,
    TrainingPairs,
    ridge,
    similarity,
)


def pairs(number: int = 40) -> TrainingPairs:
    draw = np.random.default_rng(5)
    first, second = draw.normal(size=(2, number, 4))
    return TrainingPairs(first, second, (first * second).sum(axis=1), np.arange(number, dtype=np.int32) % 2)


def test_weights_of_products_and_distances() -> None:
    # 2 * (1 * 3 + 2 * 4) products and 2 * (|1 - 3| + |2 - 4|) distances, each scaled by the root of the dimension.
    weights = np.array([1.0, 1.0, 10.0, 10.0, 0.5])
    assert similarity(weights, np.array([[1, 2]]), np.array([[3, 4]])) == pytest.approx([np.sqrt(2) * 51 + 0.5])


def test_order_of_the_texts_does_not_matter() -> None:
    each, weights = pairs(), np.arange(9.0)
    assert (
        similarity(weights, each.first, each.second).tolist() == similarity(weights, each.second, each.first).tolist()
    )


def test_one_component_has_the_closed_form_of_ridge_regression() -> None:
    # Equal texts: distances are 0, so that the slope is that of the squares alone.
    first = np.array([[1.0], [2.0], [3.0]])
    values, squares = np.array([1.0, 2.0, 5.0]), np.array([1.0, 4.0, 9.0])
    slope, _, intercept = ridge([TrainingPairs(first, first, values, np.zeros(3, np.int32))], 1).on_all
    centred = squares - squares.mean()
    assert slope == pytest.approx(centred @ values / (centred @ centred + L2 * 3))
    assert intercept == pytest.approx(values.mean() - slope * squares.mean())


def test_a_fold_learns_from_the_others_alone() -> None:
    each = pairs()
    folds = ridge([each], 2).on_rests
    rest = each.fold == 1
    alone = ridge([TrainingPairs(each.first[rest], each.second[rest], each.similarity[rest], each.fold[rest])], 2)
    assert folds[0] == pytest.approx(alone.on_all, abs=1e-12)
    assert folds[0] != pytest.approx(folds[1], abs=1e-3)


def test_batches_do_not_matter() -> None:
    each = pairs()
    halves = [
        TrainingPairs(each.first[part], each.second[part], each.similarity[part], each.fold[part])
        for part in (slice(0, 15), slice(15, None))
    ]
    assert ridge(halves, 2).on_all == pytest.approx(ridge([each], 2).on_all, abs=1e-12)


def test_a_text_without_a_vector_has_no_similarity() -> None:
    unknown = np.full((1, 2), np.nan, np.float32)
    assert np.isnan(similarity(np.ones(5), unknown, np.ones((1, 2)))).all()


def test_nothing_is_learned_from_no_pairs() -> None:
    empty = ridge([], 2).on_rests[0]
    assert empty.size == 0
    assert np.isnan(similarity(empty, np.ones((1, 2)), np.ones((1, 2)))).all()


def test_a_group_compares_the_vectors_of_its_model() -> None:
    threads = [Thread("Q1", None, [Said(None, "b"), Said(None, "c")], question="a")]
    batch = batch_of(threads, vectors={"a": [0.6, 0.8], "b": [1.0, 0.0]})
    first, unknown = values(BgePairRegressionV1("v", np.array([0, 0, 0, 0, 2.5])), batch)
    assert (first["cosine"], first["similarity"]) == (pytest.approx(0.6), 2.5)
    assert (unknown["cosine"], unknown["similarity"]) == (None, None)
