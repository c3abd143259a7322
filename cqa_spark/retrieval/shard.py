"""A shard of the index: some questions of a site in the order of time, where each term occurs, and embeddings.

A shard contains counts, not scores. Scores also depend on the document frequencies of the whole site, which grows; a
shard does not change when it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import Stemmer
from numpy.typing import NDArray

from cqa_spark.text.scripts import spaced_texts

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Scores = NDArray[np.float32]
Vectors = NDArray[np.int16]

SCALE = 10**4
"""Components have four decimal places; vectors hold them as integers in units of the last one."""

SEPARATORS = r"[^\p{L}\p{M}\p{N}_]+"


@dataclass(frozen=True)
class Shard:
    """The questions of a shard, oldest first, and their terms.

    Attributes:
        ids: ids of the questions.
        titles: their titles, as in the dump; null if a question has none.
        times: their times.
        lengths: number of terms of each question.
        vocabulary: the distinct terms, in lexicographic order.
        starts: index of the first posting of each term, then the number of all postings.
        rows: index of each posting's question; ascending within a term.
        counts: frequency of the term in each posting's question.
        vectors: embeddings of the questions, shape (questions, dimension); zeros where a question has none, and no
            columns where the index has none.
        deleted: whether each question is no longer on the site. Searches do not find these questions, but they count in
            the statistics of the site until its index is built again, as in Lucene.
    """

    ids: pa.Array
    titles: pa.Array
    times: QuestionTimes
    lengths: NDArray[np.int32]
    vocabulary: pa.Array
    starts: Indices
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    vectors: Vectors
    deleted: Flags

    @property
    def questions_with(self) -> Indices:
        """The document frequency of each term."""
        return np.diff(self.starts)

    def without(self, erased: Flags) -> Shard:
        """The same shard as if some questions had never been in it.

        Args:
            erased: whether each question is left out.
        """
        stays = ~erased
        has_question = stays[self.rows]  # by posting
        term = np.repeat(np.arange(len(self.vocabulary)), self.questions_with)[has_question]
        terms, questions_with = np.unique(term, return_counts=True)  # terms that still occur
        new_row = np.cumsum(stays) - 1  # of each question that stays
        mask = pa.array(stays)
        return Shard(
            ids=self.ids.filter(mask),
            titles=self.titles.filter(mask),
            times=QuestionTimes(self.times.time[stays], self.times.number[stays]),
            lengths=self.lengths[stays],
            vocabulary=self.vocabulary.take(pa.array(terms)),
            starts=np.concatenate([[0], np.cumsum(questions_with)]).astype(np.int64),
            rows=new_row[self.rows[has_question]].astype(np.int32),
            counts=self.counts[has_question],
            vectors=self.vectors[stays],
            deleted=self.deleted[stays],
        )


def build_shard(ids: pa.Array, times: pa.Array, titles: pa.Array, texts: pa.Array, vectors: Vectors) -> Shard:
    """Index questions.

    Args:
        ids: ids of the questions, distinct.
        times: time of each question, microseconds since 1970; null if unknown.
        titles: their titles.
        texts: their texts; null counts as empty.
        vectors: their embeddings.
    """
    question_times = QuestionTimes.of(ids, times)
    order = np.lexsort((np.array(ids.to_pylist(), dtype=object), question_times.number, question_times.time))
    terms = count_terms(texts.take(pa.array(order)))
    by_term = np.argsort(terms.term, kind="stable")  # within a term, questions stay in the order of time
    return Shard(
        ids=ids.take(pa.array(order)),
        titles=titles.take(pa.array(order)),
        times=QuestionTimes(question_times.time[order], question_times.number[order]),
        lengths=terms.lengths.astype(np.int32),
        vocabulary=terms.vocabulary,
        starts=np.searchsorted(terms.term[by_term], np.arange(len(terms.vocabulary) + 1)).astype(np.int64),
        rows=terms.text[by_term].astype(np.int32),
        counts=terms.count[by_term].astype(np.int32),
        vectors=vectors[order],
        deleted=np.zeros(len(ids), np.bool_),
    )


def to_row(shard: Shard, site: str, name: str) -> dict[str, Any]:
    """The row of ``INDEX_SHARDS`` that stores a shard.

    Args:
        shard: the shard.
        site: its site.
        name: its name within the site.
    """
    return {
        "site": site,
        "shard": name,
        "questions": len(shard.ids),
        "terms": int(shard.lengths.sum()),
        "ids": shard.ids.to_pylist(),
        "titles": shard.titles.to_pylist(),
        "asked": _stored(shard.times.time, np.int64),
        "numbers": _stored(shard.times.number, np.int64),
        "lengths": _stored(shard.lengths, np.int32),
        "vocabulary": shard.vocabulary.to_pylist(),
        "questions_with": shard.questions_with.astype(np.int32),
        "places": _stored(shard.rows, np.int32),
        "counts": _stored(shard.counts, np.int32),
        "vectors": _stored(shard.vectors, np.int16),
    }


def from_row(row: Mapping[str, pa.Scalar], deleted: pa.StringArray) -> Shard:
    """The shard that a row of ``INDEX_SHARDS`` stores.

    Args:
        row: values by column, as Arrow scalars.
        deleted: ids of questions that are no longer on the site.
    """
    ids, questions_with = row["ids"].values, row["questions_with"].values.to_numpy(zero_copy_only=False)
    return Shard(
        ids=ids,
        titles=row["titles"].values,
        times=QuestionTimes(_numbers(row["asked"], np.int64), _numbers(row["numbers"], np.int64)),
        lengths=_numbers(row["lengths"], np.int32),
        vocabulary=row["vocabulary"].values,
        starts=np.concatenate([[0], np.cumsum(questions_with, dtype=np.int64)]).astype(np.int64),
        rows=_numbers(row["places"], np.int32),
        counts=_numbers(row["counts"], np.int32),
        vectors=_numbers(row["vectors"], np.int16).reshape(len(ids), -1),
        deleted=pc.is_in(ids, value_set=deleted).to_numpy(zero_copy_only=False),
    )


def _stored(numbers: NDArray[Any], kind: type[np.integer[Any]]) -> bytes:
    return numbers.astype(np.dtype(kind).newbyteorder("<")).tobytes()


def _numbers(stored: pa.Scalar, kind: type[np.integer[Any]]) -> NDArray[Any]:
    # A copy, because numbers within an Arrow buffer need not be aligned.
    return np.frombuffer(stored.as_buffer(), dtype=np.dtype(kind).newbyteorder("<")).astype(kind)


@dataclass(frozen=True)
class QuestionTimes:
    """Times of questions; ties are broken by their numbers.

    Attributes:
        time: microseconds since 1970; -1 if unknown, so that sites without times are ordered by number.
        number: numeric id of the question; 0 for other ids.
    """

    time: Indices
    number: Indices

    @classmethod
    def of(cls, ids: pa.Array, times: pa.Array) -> QuestionTimes:
        """Read the times of questions.

        Args:
            ids: strings.
            times: microseconds since 1970, null if unknown.
        """
        numbers = np.zeros(len(ids), np.int64)
        for row, post_id in enumerate(ids.to_pylist()):
            if post_id.isascii() and post_id.isdigit() and len(post_id) < 19:
                numbers[row] = int(post_id)
        return cls(times.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64), numbers)

    def before(self, others: QuestionTimes) -> Indices:
        """How many of these times, which are sorted, are earlier than each of the others; shape (others,)."""
        first = np.searchsorted(self.time, others.time, side="left")
        last = np.searchsorted(self.time, others.time, side="right")
        counts = first.astype(np.int64)
        for row, number in enumerate(others.number):
            # The questions of the same microsecond are sorted by number.
            counts[row] += np.searchsorted(self.number[first[row] : last[row]], number, side="left")
        return counts


@dataclass(frozen=True)
class TermCounts:
    """The term frequencies of texts, ordered by text and term.

    Attributes:
        vocabulary: the distinct terms, in lexicographic order.
        text: index of the text.
        term: index of the term in ``vocabulary``.
        count: occurrences, at least 1.
        lengths: number of terms of each text, including repetitions.
    """

    vocabulary: pa.Array
    text: NDArray[np.int64]
    term: NDArray[np.int64]
    count: NDArray[np.int64]
    lengths: NDArray[np.int64]


def count_terms(texts: pa.Array) -> TermCounts:
    """Count the terms of texts: lower-case words, stemmed by the English stemmer.

    Words are sequences of letters, accents, digits and underscores, and pairs of characters in scripts without spaces.
    Stop words are kept, because they distinguish *how to* from *what is* in titles. Words of other languages lose at
    most an ending that looks like an English one.

    Args:
        texts: strings; null counts as empty.

    Source:
        Porter 2001, Snowball: the stemmer ``english``.
    """
    words = pc.split_pattern_regex(pc.utf8_lower(spaced_texts(pc.fill_null(texts, ""))), SEPARATORS)
    text = pc.list_parent_indices(words).to_numpy(zero_copy_only=False)
    encoded = pc.list_flatten(words).dictionary_encode()
    word = encoded.indices.to_numpy(zero_copy_only=False)
    # Texts that start or end with a separator have an empty word there. The empty stem is the first of the vocabulary,
    # and becomes term -1.
    stems = np.array(["", *Stemmer.Stemmer("english").stemWords(encoded.dictionary.to_pylist())], dtype=object)
    vocabulary, term_of_stem = np.unique(stems, return_inverse=True)
    term = term_of_stem[1:][word].astype(np.int64) - 1
    text, term = text[term >= 0].astype(np.int64), term[term >= 0]
    pairs, count = np.unique(text * len(vocabulary) + term, return_counts=True)
    return TermCounts(
        pa.array(vocabulary[1:].tolist(), pa.string()),
        pairs // len(vocabulary),
        pairs % len(vocabulary),
        count.astype(np.int64),
        np.bincount(text, minlength=len(texts)).astype(np.int64),
    )


def as_vectors(lists: pa.Array) -> Vectors:
    """Vectors as integers.

    Args:
        lists: lists of components, all of one length; null where a text has no vector.

    Returns:
        Shape (texts, dimension); zeros where a text has no vector, and no columns where no text has one.
    """
    rows = np.flatnonzero(lists.is_valid().to_numpy(zero_copy_only=False))
    components = lists.drop_null().flatten().to_numpy(zero_copy_only=False)
    vectors = np.zeros((len(lists), len(components) // max(len(rows), 1)), np.int16)
    vectors[rows] = as_integers(components.reshape(len(rows), vectors.shape[1]))
    return vectors


def as_integers(components: NDArray[np.float32]) -> Vectors:
    """Components in units of the last decimal place."""
    return np.rint(components * SCALE).astype(np.int16)
