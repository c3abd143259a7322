"""Pairs of a question and an earlier one of its site, with what speaks for their being about the same.

Everything that a pair is judged by was public when the later question was asked: a word counts by the questions before
it, and links are those made before it. The values of a pair therefore never change as the site grows, and a dump that
is cut at any time gives the same pairs as the whole one.

Source:
    Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond, section 3, with the idf of
    Lucene; Hoogeveen et al. 2015, CQADupStack, section 3: what a question has beside its text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from cqa_spark.retrieval.bm25 import highest_scores

Reals = NDArray[np.float64]
Scores = NDArray[np.float32]
Indices = NDArray[np.int64]
Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]

CANDIDATES = 50
"""Earlier questions that are retrieved by words and, where questions have vectors, by vectors."""

WORD_FEATURES = (
    "words", "words_share", "words_margin", "words_rank", "title_words", "title_share", "shared_tags", "tag_weight",
    "links", "duplicates", "days", "same_asker", "length", "earlier_length", "series",
)  # fmt: skip
"""What a pair is judged by without vectors."""

VECTOR_FEATURES = ("cosine", "cosine_margin", "cosine_rank", "title_cosine", "title_margin")
"""What is added with them."""

_DAY = 86_400_000_000
_SECOND = 1_000_000
_K1, _B = 1.2, 0.75
_AT_A_TIME = 256

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_VARIABLE = re.compile(
    rf"\d+(st|nd|rd|th)?|\b({_MONTHS}|spring|summer|autumn|fall|winter|first|second|third|fourth|[ivx]{(2,)})\b"
)


@dataclass(frozen=True)
class SiteQuestions:
    """The questions of a site, the oldest first; those of the same time in the order of their ids.

    Attributes:
        ids: their ids.
        asked: microseconds since 1970.
        tags: their tags.
        askers: the accounts that asked them; None if deleted.
        series: what the title of each has in common with its series; None if it is of none.
        is_closed: whether each is closed.
        links: links to them, by ``SiteLinks``.
        texts: where terms occur in their titles and prose.
        titles: where terms occur in their titles.
        vectors: unit vectors of the texts, shape (questions, dimension); None without an encoder.
        title_vectors: those of the titles, in half precision.
    """

    ids: Sequence[str]
    asked: Indices
    tags: Sequence[Sequence[str]]
    askers: Sequence[str | None]
    series: Sequence[str | None]
    is_closed: Flags
    links: SiteLinks
    texts: Postings
    titles: Postings
    vectors: Scores | None = None
    title_vectors: NDArray[np.float16] | None = None

    def __len__(self) -> int:
        return len(self.ids)


class SiteLinks(NamedTuple):
    """Links between two questions of a site that are in the dump; whichever of them has the link.

    Attributes:
        made: microseconds since 1970.
        later: row of the later question.
        earlier: row of the earlier question.
        is_duplicate: whether the link closed one of them as a duplicate of the other.
    """

    made: Indices
    later: Indices
    earlier: Indices
    is_duplicate: Flags

    def of(self, chosen: Flags) -> SiteLinks:
        """Some of the links."""
        return SiteLinks(self.made[chosen], self.later[chosen], self.earlier[chosen], self.is_duplicate[chosen])


@dataclass(frozen=True)
class QuestionPairs:
    """Pairs of questions, by the later one.

    Attributes:
        queries: rows of the questions whose pairs these are; ascending.
        later: row of the later question of each pair, a query; ascending.
        earlier: row of the earlier question; ascending within a query.
        starts: index of the first pair of each query, then the number of all pairs.
        features: what they are judged by, by name; shape (pairs,) each.
    """

    queries: Indices
    later: Indices
    earlier: Indices
    starts: Indices
    features: dict[str, Reals]

    def matrix(self, names: Sequence[str]) -> Reals:
        """Some features, shape (pairs, features)."""
        return np.column_stack([self.features[name] for name in names])

    def ranks(self, scores: Reals) -> Indices:
        """The rank of each pair among those of its query, from 1; of equal scores, the older question first."""
        group = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        order = np.lexsort((self.earlier, -scores, group))
        ranks = np.empty(len(scores), np.int64)
        ranks[order] = np.arange(len(scores)) - self.starts[group] + 1
        return ranks


@dataclass(frozen=True)
class PairIndex:
    """The questions of a site, with everything that their pairs are judged by.

    Attributes:
        questions: the questions.
        tags: their tags.
    """

    questions: SiteQuestions
    tags: _TagLists

    @classmethod
    def of(cls, questions: SiteQuestions) -> PairIndex:
        """Count the tags of questions."""
        return cls(questions, _TagLists.of(questions.tags))

    def batches(self, queries: Indices, shares: Collection[int], of: int) -> Iterator[QuestionPairs]:
        """The pairs of shares of some questions, a few at a time: with ``CANDIDATES`` by words and by vectors.

        Queries are judged in the same company whatever the number of shares, so that cosines, which are products of
        matrices, are equal to the last digit.

        Args:
            queries: rows of the questions; ascending.
            shares: numbers of the shares, from 0.
            of: number of all shares.
        """
        for number, start in enumerate(range(0, len(queries), _AT_A_TIME)):
            if number % of in shares:
                yield self.pairs(queries[start : start + _AT_A_TIME])

    def pairs(self, queries: Indices) -> QuestionPairs:
        """The pairs of some questions and the earlier ones that are nearest to them by words or by vectors."""
        questions, asked = self.questions, self.questions.asked
        near, near_starts = _nearest(questions.vectors, queries)
        starts, earlier, *words = _score_words(
            questions.texts, questions.titles, queries, near, near_starts, CANDIDATES
        )
        later = np.repeat(queries, np.diff(starts))
        by_text, by_title, own_text, own_title = (scores.astype(np.float64) for scores in words)
        query = np.repeat(np.arange(len(queries)), np.diff(starts))
        shared, weight = _shared_tags(self.tags, later, earlier)
        links, sizes = questions.links, self.tags.sizes
        duplicates = links.of(links.is_duplicate)
        share = by_text / np.maximum(own_text[query], 1e-6)
        features = {
            "words": np.log1p(by_text),
            "words_share": share,
            "title_words": np.log1p(by_title),
            "title_share": by_title / np.maximum(own_title[query], 1e-6),
            "shared_tags": shared / np.maximum(np.sqrt(sizes[later] * sizes[earlier]), 1),
            "tag_weight": weight,
            "links": np.log1p(_known_links(links, asked[later], earlier)),
            "duplicates": np.log1p(_known_links(duplicates, asked[later], earlier)),
            "days": np.log1p((asked[later] - asked[earlier]) / _DAY),
            "same_asker": _same(questions.askers, later, earlier),
            "length": np.log1p(questions.texts.lengths[later]),
            "earlier_length": np.log1p(questions.texts.lengths[earlier]),
            "series": _same(questions.series, later, earlier),
        }
        features["words_margin"], features["words_rank"] = _margin_and_rank(share, starts)
        if questions.vectors is not None and questions.title_vectors is not None:
            for name, vectors in (("cosine", questions.vectors), ("title_cosine", questions.title_vectors)):
                both = (vectors[rows].astype(np.float32, copy=False) for rows in (later, earlier))
                features[name] = np.einsum("pd,pd->p", *both).astype(np.float64)
            features["cosine_margin"], features["cosine_rank"] = _margin_and_rank(features["cosine"], starts)
            features["title_margin"], _ = _margin_and_rank(features["title_cosine"], starts)
        return QuestionPairs(queries, later, earlier, starts, features)


def series_of(title: str) -> str | None:
    """What a title has in common with those of its series, such as yearly elections; None if nothing in it varies."""
    common, number = _VARIABLE.subn(" 0 ", title.lower())
    return re.sub(r"\W+", " ", common).strip() if number else None


class Postings(NamedTuple):
    """Where each term occurs, and the terms of each text.

    Attributes:
        starts: index of the first posting of each term, then the number of all postings.
        rows: text of each posting; ascending within a term.
        counts: frequency of the term in it.
        text_starts: index of the first term of each text, then the number of all.
        terms: terms of the texts.
        term_counts: their frequencies.
        lengths: number of terms of each text, with repetitions.
        total_length: terms of all texts before each text.
    """

    starts: Numbers
    rows: Numbers
    counts: Scores
    text_starts: Numbers
    terms: Numbers
    term_counts: Scores
    lengths: Indices
    total_length: Indices

    @classmethod
    def of(cls, text_starts: Indices, terms: Numbers, counts: Numbers) -> Postings:
        """Invert the terms of texts.

        Args:
            text_starts: as the attribute.
            terms: as the attribute; within a text, in the order in which their scores are added.
            counts: their frequencies.
        """
        from scipy.sparse import csr_array

        shape = (len(text_starts) - 1, int(terms.max(initial=-1)) + 1)
        by_text = csr_array((counts.astype(np.float32), terms, text_starts), shape=shape)
        by_term = by_text.tocsc()
        before = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])[text_starts]
        return cls(
            starts=by_term.indptr,
            rows=by_term.indices,
            counts=by_term.data,
            text_starts=by_text.indptr,
            terms=by_text.indices,
            term_counts=by_text.data,
            lengths=np.diff(before),
            total_length=before[:-1],
        )


@numba.njit(cache=True, nogil=True)
def _add_scores(postings: Postings, query: int, total: Scores) -> float:
    """Add the BM25 of every earlier text for one text to ``total``; return the score of the text for itself.

    Frequencies and lengths are those of the texts before the query.
    """
    if query == 0:
        return 0.0
    mean = max(postings.total_length[query] / query, 1.0)
    own_norm = _K1 * (1 - _B + _B * postings.lengths[query] / mean)
    own = 0.0
    for index in range(postings.text_starts[query], postings.text_starts[query + 1]):
        term, repeated = postings.terms[index], postings.term_counts[index]
        first = postings.starts[term]
        # Postings are in the order of time: those of earlier texts are a prefix.
        number = np.searchsorted(postings.rows[first : postings.starts[term + 1]], query)
        weight = repeated * np.log1p((query - number + 0.5) / (number + 0.5)) * (_K1 + 1)
        own += weight * repeated / (repeated + own_norm)
        for posting in range(first, first + number):
            row, count = postings.rows[posting], postings.counts[posting]
            total[row] += weight * count / (count + _K1 * (1 - _B + _B * postings.lengths[row] / mean))
    return own


@numba.njit(cache=True, nogil=True)
def _score_words(
    texts: Postings, titles: Postings, queries: Indices, near: Indices, near_starts: Indices, limit: int
) -> tuple[Indices, Indices, Scores, Scores, Scores, Scores]:
    """The candidates of some questions, and their BM25.

    Args:
        texts: of the whole texts.
        titles: of the titles.
        queries: rows of the questions.
        near: further candidates.
        near_starts: index of the first of these of each question, then the number of all.
        limit: candidates by words, at most.

    Returns:
        The index of the first pair of each question, then the number of all; the candidate of each pair, ascending
        within a question; its BM25 by texts and by titles; by question, its own BM25 for itself, by texts and titles.
    """
    number, end = len(queries), queries.max() if len(queries) else 0
    starts = np.zeros(number + 1, np.int64)
    rows = np.empty(number * limit + len(near), np.int64)
    scores, title_scores = np.empty(len(rows), np.float32), np.empty(len(rows), np.float32)
    own, own_title = np.zeros(number, np.float32), np.zeros(number, np.float32)
    by_text, by_title = np.empty(end, np.float32), np.empty(end, np.float32)
    size = 0
    for position in range(number):
        query = queries[position]
        by_text[:query] = 0
        by_title[:query] = 0
        own[position] = _add_scores(texts, query, by_text)
        own_title[position] = _add_scores(titles, query, by_title)
        by_words = highest_scores(by_text[:query], limit)
        others = near[near_starts[position] : near_starts[position + 1]]
        candidates = np.unique(np.concatenate((by_words, others)))
        end = size + len(candidates)
        rows[size:end] = candidates
        scores[size:end] = by_text[candidates]
        title_scores[size:end] = by_title[candidates]
        starts[position + 1] = size = end
    return starts, rows[:size], scores[:size], title_scores[:size], own, own_title


def _nearest(vectors: Scores | None, queries: Indices) -> tuple[Indices, Indices]:
    """The ``CANDIDATES`` earlier questions with the nearest vectors, and where those of each query begin."""
    sizes = np.minimum(queries, CANDIDATES if vectors is not None else 0)
    rows = [np.empty(0, np.int64)]
    if vectors is not None and len(queries):
        cosines = vectors[queries] @ vectors[: queries.max()].T
        for position, (query, size) in enumerate(zip(queries.tolist(), sizes.tolist(), strict=True)):
            if size:
                rows.append(np.argpartition(-cosines[position, :query], size - 1)[:size])
    return np.concatenate(rows).astype(np.int64), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class _TagLists(NamedTuple):
    """The tags of questions.

    Attributes:
        starts: index of the first tag of each question, then the number of all.
        tags: numbers of the tags, in the order of questions.
        weights: idf of each of these among the questions before.
        sizes: number of tags by question.
    """

    starts: Indices
    tags: Indices
    weights: Reals
    sizes: Indices

    @classmethod
    def of(cls, lists: Sequence[Sequence[str]]) -> _TagLists:
        sizes = np.array([len(tags) for tags in lists], np.int64)
        _, tags = np.unique(np.array([tag for tags in lists for tag in tags], dtype=str), return_inverse=True)
        question = np.repeat(np.arange(len(lists)), sizes)
        order = np.argsort(tags, kind="stable")
        # How often each tag was used before: its place among all uses of the tag.
        first = np.searchsorted(tags[order], np.arange(tags.max() + 1 if len(tags) else 0))
        before = np.empty(len(tags), np.int64)
        before[order] = np.arange(len(tags)) - first[tags[order]]
        weights = np.log1p((question - before + 0.5) / (before + 0.5))
        return cls(np.concatenate([[0], np.cumsum(sizes)]), tags.astype(np.int64), weights, sizes)


@numba.njit(cache=True, nogil=True)
def _shared_tags(lists: _TagLists, later: Indices, earlier: Indices) -> tuple[Reals, Reals]:
    """The number of shared tags of each pair, and the sum of their weights when the later question was asked."""
    starts, tags, weights, _ = lists
    number, weight = np.zeros(len(later)), np.zeros(len(later))
    for pair in range(len(later)):
        for index in range(starts[later[pair]], starts[later[pair] + 1]):
            for position in range(starts[earlier[pair]], starts[earlier[pair] + 1]):
                if tags[index] == tags[position]:
                    number[pair] += 1
                    weight[pair] += weights[index]
    return number, weight


def _known_links(links: SiteLinks, asked: Indices, earlier: Indices) -> Reals:
    """The number of links to the earlier question of each pair that were made before the later one was asked."""
    # A key for each link that sorts by question, then by second.
    of_question = np.int64(1) << 34
    keys = np.sort(links.earlier * of_question + links.made // _SECOND)
    first = np.searchsorted(keys, earlier * of_question)
    return (np.searchsorted(keys, earlier * of_question + asked // _SECOND) - first).astype(np.float64)


def _same(values: Sequence[str | None], later: Indices, earlier: Indices) -> Reals:
    """1 for the pairs with one value, which is known."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values)) if value is not None}
    coded = np.array([numbers.get(value, -1) if value is not None else -1 for value in values], np.int64)
    return ((coded[later] == coded[earlier]) & (coded[later] >= 0)).astype(np.float64)


def _margin_and_rank(values: Reals, starts: Indices) -> tuple[Reals, Reals]:
    """By how much each pair's value is below the highest of its question, and ln(rank)."""
    sizes = np.diff(starts)
    group = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-values, group))
    rank = np.empty(len(values))
    rank[order] = np.arange(len(values)) - starts[group] + 1
    has_pairs = sizes > 0
    best = np.zeros(len(sizes))
    if len(values):
        best[has_pairs] = np.maximum.reduceat(values, starts[:-1][has_pairs])
    return values - best[group], np.log(rank)
