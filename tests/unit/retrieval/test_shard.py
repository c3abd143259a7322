"""Exact search by cosines: ties, only earlier questions, texts without vectors, and any number of shards."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.retrieval.dense import DenseIndex
from cqa_spark.retrieval.shard import QuestionTimes, Vectors, as_vectors, build_shard


def _index(vectors: Vectors) -> DenseIndex:
    ids, texts = pa.array([str(number) for number in range(len(vectors))]), pa.array([""] * len(vectors))
    return DenseIndex(build_shard(ids, pa.array(range(len(vectors)), pa.int64()), texts, texts, vectors))


def _moments(*times: int) -> QuestionTimes:
    return QuestionTimes(np.array(times, np.int64), np.zeros(len(times), np.int64))


def test_vectors_are_integers_in_units_of_the_last_decimal_place() -> None:
    lists = pa.array([[0.6, -0.8], None, [1.0, 0.0]], pa.list_(pa.float32()))
    assert as_vectors(lists).tolist() == [[6000, -8000], [0, 0], [10000, 0]]
    assert as_vectors(pa.array([None, None], pa.list_(pa.float32()))).shape == (2, 0)


def test_the_nearest_earlier_questions_come_first_and_the_older_of_equal_ones() -> None:
    index = _index(np.array([[0, 10000], [8000, 6000], [8000, 6000], [10000, 0], [0, 0]], np.int16))
    query = np.array([[10000, 0]] * 3, np.int16)
    found = index.search(query, _moments(99, 3, 1), 2)
    assert found.query.tolist() == [0, 0, 1, 1]
    assert found.row.tolist() == [3, 1, 1, 2]
    assert found.score.tolist() == [1.0, 0.8, 0.8, 0.8]


def test_a_text_without_a_vector_finds_nothing_and_is_not_found() -> None:
    index = _index(np.array([[0, 0], [6000, 8000]], np.int16))
    queries = np.array([[0, 0], [0, 10000]], np.int16)
    found = index.search(queries, _moments(9, 9), 5)
    assert list(zip(found.query.tolist(), found.row.tolist(), strict=True)) == [(1, 1)]
    assert len(_index(np.zeros((2, 0), np.int16)).search(queries, _moments(9, 9), 5).row) == 0


def test_deleted_questions_take_no_place() -> None:
    whole = _index(np.array([[10000, 0], [8000, 6000], [6000, 8000], [0, 10000]], np.int16))
    index = DenseIndex(replace(whole.shard, deleted=np.array([True, True, False, False])))
    queries = np.array([[10000, 0]] * 3, np.int16)
    found = index.search(queries, _moments(99, 3, 2), 2)
    assert list(zip(found.query.tolist(), found.row.tolist(), strict=True)) == [(0, 2), (1, 2)]
    assert found.score.tolist() == [0.6, 0.6]


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_the_best_are_those_of_exact_products(seed: int, limit: int) -> None:
    draw = np.random.default_rng(seed)
    drawn = draw.integers(-3, 4, (40, 3)).astype(np.float64)
    lengths = np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1)
    vectors = np.rint(drawn / lengths * 10_000).astype(np.int16)
    before = draw.integers(0, 41, 5)
    found = _index(vectors).search(vectors[:5], QuestionTimes(before, np.zeros(5, np.int64)), limit)
    for query in range(5):
        exact = (vectors[: before[query]].astype(np.int64) @ vectors[query].astype(np.int64)).tolist()
        best = sorted((-product, place) for place, product in enumerate(exact) if product > 0)[:limit]
        of_query = found.query == query
        assert found.row[of_query].tolist() == [place for _, place in best]
        assert found.score[of_query].tolist() == [-product / 10**8 for product, _ in best]
