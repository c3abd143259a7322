"""A text finds the same questions in one shard and in several, by words, by embeddings and by both."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.published_index import Similar, SiteIndex, most_similar
from cqa_spark.retrieval.shard import Shard, Vectors, build_shard, to_row

_TEXTS = ["beer glass", "beer beer cellar yeast", "wine glass", "", "glass beer"]
_VECTORS = np.array([[6000, 8000], [10000, 0], [0, 10000], [0, 0], [8000, 6000]], np.int16)
_NONE = np.zeros((1, 0), np.int16)


def _shard(places: list[int], vectors: Vectors, deleted: tuple[str, ...]) -> Shard:
    ids, texts = pa.array([str(place + 1) for place in places]), pa.array([_TEXTS[place] for place in places])
    shard = build_shard(ids, pa.array(places, pa.int64()), texts, texts, vectors[places])
    return replace(shard, deleted=np.isin(shard.ids.to_pylist(), deleted))


def _similar(parts: list[list[int]], text: str, vector: Vectors, *deleted: str, most: int = 3) -> list[Similar]:
    vectors = _VECTORS if vector.shape[1] else np.zeros((5, 0), np.int16)
    index = SiteIndex("s", [_shard(places, vectors, deleted) for places in parts], None)
    return most_similar(index, text, vector, Bm25(), most, depth=most)


def test_by_words_alone() -> None:
    of_one = _similar([[0, 1, 2, 3, 4]], "a glass of beer", _NONE)
    assert [each.question_id for each in of_one] == ["1", "5", "2"]
    assert of_one[0].score == 1 / 61
    assert _similar([[0, 3], [4, 1, 2]], "a glass of beer", _NONE) == of_one
    assert _similar([[0, 3], [4, 1, 2]], "пиво", _NONE) == []


def test_words_and_embeddings_are_fused_by_reciprocal_rank() -> None:
    vector = np.array([[10000, 0]], np.int16)
    of_one = _similar([[0, 1, 2, 3, 4]], "wine", vector)
    assert [(each.question_id, each.cosine) for each in of_one] == [("2", 1.0), ("3", None), ("5", 0.8)]
    assert [each.score for each in of_one] == [1 / 61, 1 / 61, 1 / 62]
    assert [each.bm25 is not None for each in of_one] == [False, True, False]
    assert _similar([[0, 3], [4, 1, 2]], "wine", vector) == of_one


def test_deleted_questions_are_not_found_and_take_no_place() -> None:
    vector = np.array([[10000, 0]], np.int16)
    for parts in ([[0, 1, 2, 3, 4]], [[0, 3], [4, 1, 2]]):
        assert [each.question_id for each in _similar(parts, "wine", vector, "3")] == ["2", "5", "1"]
        [found] = _similar(parts, "пиво", vector, "2", most=1)
        assert (found.question_id, found.score, found.cosine) == ("5", 1 / 61, 0.8)


@given(st.lists(st.booleans(), min_size=len(_TEXTS), max_size=len(_TEXTS)).filter(lambda gone: not all(gone)))
def test_a_shard_without_some_questions_is_one_that_never_had_them(gone: list[bool]) -> None:
    whole = _shard(list(range(len(_TEXTS))), _VECTORS, ("4",))
    rest = whole.without(np.array(gone))
    expected = _shard([place for place, goes in enumerate(gone) if not goes], _VECTORS, ("4",))
    of_rest, of_expected = ({n: np.array(v).tolist() for n, v in to_row(s, "s", "0").items()} for s in (rest, expected))
    assert of_rest == of_expected
    assert rest.deleted.tolist() == expected.deleted.tolist()
