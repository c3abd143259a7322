"""Scores of BM25 by hand, the order of ties, and only earlier questions."""

from dataclasses import replace
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.shard import QuestionTimes, build_shard, count_terms, from_row, to_row


def _index(texts: list[str], times: list[int | None] | None = None) -> Bm25Index:
    ids = pa.array([str(number) for number in range(1, len(texts) + 1)])
    asked, said = pa.array(times or list(range(len(texts))), pa.int64()), pa.array(texts, pa.string())
    shard = build_shard(ids, asked, said, said, np.zeros((len(texts), 0), np.int16))
    site = SiteStatistics(len(texts), int(shard.lengths.sum()), shard.questions_with)
    return Bm25Index.of(shard, site, Bm25())


def _moments(*times: int) -> QuestionTimes:
    return QuestionTimes(np.array(times), np.zeros(len(times), np.int64))


def test_terms_are_stems_in_the_order_of_the_alphabet_with_their_counts() -> None:
    found = count_terms(pa.array(["Sorting, sorted SORTS a list!", None, "été?", " ... "]))
    assert found.vocabulary.to_pylist() == ["a", "list", "sort", "été"]
    assert found.text.tolist() == [0, 0, 0, 2]
    assert found.term.tolist() == [0, 1, 2, 3]
    assert found.count.tolist() == [1, 1, 3, 1]
    assert found.lengths.tolist() == [5, 0, 1, 0]


def test_questions_of_scripts_without_spaces_are_found_by_pairs_of_characters() -> None:
    index = _index(["配列を逆順に並べ替えるには", "色を変える方法", "怎样把数组倒序排列", "วิธีเรียงลำดับ"])
    queries = pa.array(["配列を逆順に並べ替える書き方", "数组倒序排列的写法", "การเรียงลำดับรายการ"])
    found = index.search(queries, _moments(99, 99, 99), 1)
    assert list(zip(found.query.tolist(), found.row.tolist(), strict=True)) == [(0, 0), (1, 2), (2, 3)]


def test_the_score_is_that_of_the_formula() -> None:
    index = _index(["beer glass", "beer beer cellar yeast"])
    found = index.search(pa.array(["glass of beer"]), _moments(99), 10)
    mean = 3
    idf_beer, idf_glass = log(1 + 0.5 / 2.5), log(1 + 1.5 / 1.5)
    first = (idf_beer + idf_glass) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / mean))
    second = idf_beer * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / mean))
    assert found.row.tolist() == [0, 1]
    assert found.score.tolist() == pytest.approx([first, second], rel=1e-6)


def test_only_earlier_questions_are_found_and_of_equal_ones_the_older_is_first() -> None:
    index = _index(["same text", "same text", "same text"], times=[30, 10, 20])
    found = index.search(pa.array(["same text"] * 3), _moments(30, 99, 10), 2)
    ids = index.shard.ids.take(pa.array(found.row)).to_pylist()
    assert list(zip(found.query.tolist(), ids, strict=True)) == [(0, "2"), (0, "3"), (1, "2"), (1, "3")]


def test_questions_without_times_go_by_their_numbers() -> None:
    index = _index(["one word", "one word", "one word"], times=[None, None, None])
    asked = QuestionTimes(np.array([-1]), np.array([3]))
    assert index.search(pa.array(["one"]), asked, 9).row.tolist() == [0, 1]


def test_deleted_questions_take_no_place_and_count_in_the_document_frequencies() -> None:
    whole = _index(["beer glass", "beer glass", "beer cellar yeast"])
    site = SiteStatistics(3, 7, whole.shard.questions_with)
    shard = replace(whole.shard, deleted=np.array([True, False, False]))
    queries, asked = pa.array(["beer glass", "beer glass"]), _moments(99, 1)
    found = Bm25Index.of(shard, site, Bm25()).search(queries, asked, 2)
    assert list(zip(found.query.tolist(), found.row.tolist(), strict=True)) == [(0, 1), (0, 2)]
    assert found.score.tolist() == whole.search(queries[:1], _moments(99), 3).score[1:].tolist()


def test_a_query_without_known_terms_finds_nothing() -> None:
    assert len(_index(["beer"]).search(pa.array(["wine", "", None]), _moments(9, 9, 9), 5).row) == 0


_TEXTS = st.lists(st.text("abc ", max_size=12), min_size=1, max_size=12)


@given(_TEXTS, st.text("abc ", max_size=8))
def test_the_best_are_those_of_sorting_all_scores(texts: list[str], query: str) -> None:
    index = _index(texts)
    everything = index.search(pa.array([query]), _moments(10**6), len(texts))
    ranked = sorted(zip((-everything.score).tolist(), everything.row.tolist(), strict=True))
    for limit in (1, 3):
        found = index.search(pa.array([query]), _moments(10**6), limit)
        assert list(zip((-found.score).tolist(), found.row.tolist(), strict=True)) == ranked[:limit]


def test_a_shard_is_read_as_it_was_stored() -> None:
    shard = _index(["a b", "", "b c b"]).shard
    row = {name: pa.scalar(value) for name, value in to_row(shard, "s", "0").items()}
    read = from_row(row, pa.array(["3", "4"]))
    assert read.ids.to_pylist() == shard.ids.to_pylist()
    assert read.vocabulary.to_pylist() == ["a", "b", "c"]
    for name in ("lengths", "starts", "rows", "counts"):
        assert getattr(read, name).tolist() == getattr(shard, name).tolist()
    assert read.vectors.shape == (3, 0)
    assert read.times.time.tolist() == [0, 1, 2]
    assert read.times.number.tolist() == [1, 2, 3]
    assert read.deleted.tolist() == [False, False, True]
    assert from_row(row, pa.array([], pa.string())).deleted.tolist() == [False, False, False]
