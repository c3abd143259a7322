"""Pairs of questions: what they are judged by was known when the later question was asked."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.findings.question_pairs import (
    VECTOR_FEATURES,
    WORD_FEATURES,
    PairIndex,
    Postings,
    SiteLinks,
    SiteQuestions,
    series_of,
)
from cqa_spark.retrieval.shard import count_terms

_DAY = 86_400_000_000
_NO_LINKS = SiteLinks(*(np.empty(0, np.int64) for _ in range(3)), np.empty(0, bool))


def questions(texts, *, tags=None, askers=None, links=_NO_LINKS, vectors=None, days=None) -> SiteQuestions:
    number = len(texts)
    terms = count_terms(pa.array(texts, pa.string()))
    starts = np.searchsorted(terms.text, np.arange(number + 1))
    postings = Postings.of(starts, terms.term.astype(np.int32), terms.count.astype(np.int32))
    return SiteQuestions(
        ids=[str(row + 1) for row in range(number)],
        asked=np.array(days or range(number), np.int64) * _DAY,
        tags=tags or [[]] * number,
        askers=askers or [None] * number,
        series=[series_of(text) for text in texts],
        is_closed=np.zeros(number, bool),
        links=links,
        texts=postings,
        titles=postings,
        vectors=vectors,
        title_vectors=vectors,
    )


def of_pair(site: SiteQuestions, later: int, earlier: int) -> dict[str, float]:
    pairs = PairIndex.of(site).pairs(np.arange(len(site)))
    [pair] = np.flatnonzero((pairs.later == later) & (pairs.earlier == earlier))
    return {name: float(values[pair]) for name, values in pairs.features.items()}


def test_bm25_counts_the_questions_before() -> None:
    values = of_pair(questions(["dark ale", "pale ale", "dark stout"]), 2, 0)
    # Of the two questions before, one has "dark" and none has "stout"; all have two terms.
    idf = np.log1p((2 - 1 + 0.5) / (1 + 0.5))
    own = idf + np.log1p((2 - 0 + 0.5) / (0 + 0.5))
    assert values["words"] == pytest.approx(np.log1p(idf), rel=1e-6)
    assert values["words_share"] == pytest.approx(idf / own, rel=1e-6)


def test_pairs_share_tags_by_how_rare_they_were() -> None:
    site = questions(["a b", "a c", "a d"], tags=[["hops", "yeast"], ["hops"], ["hops", "yeast"]])
    values = of_pair(site, 2, 0)
    assert values["shared_tags"] == 1
    # Two questions before: both have hops, one has yeast.
    assert values["tag_weight"] == pytest.approx(np.log1p(0.5 / 2.5) + np.log1p(1.5 / 1.5))


def test_links_count_from_when_they_were_made() -> None:
    made = np.array([1, 3], np.int64) * _DAY
    links = SiteLinks(made, np.array([1, 3]), np.array([0, 0]), np.array([True, False]))
    site = questions(["a", "a", "a", "a", "a"], links=links)
    known = [(of_pair(site, later, 0)["links"], of_pair(site, later, 0)["duplicates"]) for later in range(1, 5)]
    assert np.expm1(known).round().tolist() == [[0, 0], [1, 1], [1, 1], [2, 1]]


def test_askers_that_are_deleted_are_not_the_same() -> None:
    site = questions(["a", "a", "a", "a"], askers=[None, "7", None, "7"])
    assert of_pair(site, 3, 1)["same_asker"] == 1
    assert of_pair(site, 2, 0)["same_asker"] == 0


def test_vectors_bring_candidates_that_share_no_word() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.8, 0.6]], np.float32)
    values = of_pair(questions(["ale", "stout", "porter"], vectors=vectors), 2, 0)
    assert values["cosine"] == pytest.approx(0.8)
    assert values["cosine_rank"] == 0
    assert of_pair(questions(["ale", "stout", "porter"], vectors=vectors), 2, 1)["cosine_margin"] == pytest.approx(-0.2)


def test_equal_scores_rank_the_older_question_first() -> None:
    pairs = PairIndex.of(questions(["ale", "ale", "ale"])).pairs(np.array([2]))
    assert pairs.ranks(np.zeros(2)).tolist() == [1, 2]


def test_a_site_with_one_question_has_no_pairs() -> None:
    pairs = PairIndex.of(questions(["ale"])).pairs(np.array([0]))
    assert len(pairs.later) == 0
    assert pairs.matrix(WORD_FEATURES).shape == (0, len(WORD_FEATURES))


@pytest.mark.parametrize(
    ("title", "series"),
    [
        ("2016 Moderator Election Q&A", "0 moderator election q a"),
        ("Community ads, second half of 2014", "community ads 0 half of 0"),
        ("Promotion for March", "promotion for 0"),
        ("How do I pour a stout?", None),
    ],
)
def test_titles_of_a_series_are_equal_but_for_what_varies(title: str, series: str | None) -> None:
    assert series_of(title) == series


_WORDS = st.lists(st.sampled_from(["ale", "stout", "hops", "yeast", "2016"]), min_size=0, max_size=4).map(" ".join)


@given(st.lists(_WORDS, min_size=2, max_size=8), st.data())
def test_a_site_that_is_cut_has_the_same_pairs(texts: list[str], data: st.DataObject) -> None:
    number = len(texts)
    end = data.draw(st.integers(1, number - 1))
    vectors = np.random.default_rng(0).normal(size=(number, 3)).astype(np.float32)
    tags = [text.split()[:1] for text in texts]
    links = SiteLinks(
        np.arange(1, number, dtype=np.int64) * _DAY, np.arange(1, number), np.zeros(number - 1, np.int64),
        np.ones(number - 1, bool),
    )  # fmt: skip
    known = links.made <= (end - 1) * _DAY
    whole = PairIndex.of(questions(texts, tags=tags, links=links, vectors=vectors)).pairs(np.arange(end))
    cut = PairIndex.of(questions(texts[:end], tags=tags[:end], links=links.of(known), vectors=vectors[:end])).pairs(
        np.arange(end)
    )
    assert whole.later.tolist() == cut.later.tolist()
    assert whole.earlier.tolist() == cut.earlier.tolist()
    names = (*WORD_FEATURES, *VECTOR_FEATURES)
    np.testing.assert_allclose(whole.matrix(names), cut.matrix(names), rtol=1e-5, atol=1e-6)
