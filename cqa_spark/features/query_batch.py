"""Batches of whole questions in memory: examples, with the posts, comments and texts of their threads.

A question has one query, or one for each of its replayed nights, which share all other rows.

Feature groups compute on a batch with NumPy and plain Python, without Spark. Values that several groups derive from the
same texts are computed once per batch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.features.arrays import (
    ABSENT,
    Indices,
    Mask,
    Reals,
    Vectors,
    codes,
    doubles,
    indices_of,
    matches,
    seconds,
    values_at,
)

_ID, _TIME, _WORDS = pa.string(), pa.timestamp("us", "UTC"), pa.list_(pa.string())
_QUESTION = {"site": _ID, "query_post_id": _ID}

TABLES: Mapping[str, Mapping[str, pa.DataType]] = {
    "examples": {
        **_QUESTION,  # query_post_id: the post that the candidate is ranked for; several nights of a post share it
        "task": pa.string(),
        "query_id": _ID,
        "candidate_id": _ID,
        "thread_id": _ID,  # of the candidate
        "fold_key": _ID,
        "author_id": _ID,  # of the candidate
        "account": _ID,  # the candidate's author; null unless one known person
        "asker_id": _ID,
        "asked_at": _TIME,
        "answered_at": _TIME,
        "cut": _TIME,  # the time up to which as-of groups use events
        "initial_rank": pa.int32(),
        "split": pa.string(),
        "fold": pa.int64(),  # of a training example, from 0; -1 for others
    },
    "posts": {
        **_QUESTION,
        "post_id": _ID,
        "thread_id": _ID,
        "author": _ID,  # null unless one known person
        "created_at": _TIME,
        "category": pa.string(),
    },
    "comments": {
        **_QUESTION,
        "comment_id": _ID,
        "post_id": _ID,  # the post that it is below
        "position": pa.int32(),  # among the comments of the post, from 1
        "author": _ID,  # null unless one known person
        "author_name": pa.string(),
        "created_at": _TIME,
        "document_id": _ID,
    },
    "documents": {**_QUESTION, "document_id": _ID, "text_id": _ID, "subject_text_id": _ID},
    "analysed_texts": {
        "text_id": _ID,
        "raw": pa.string(),
        "clean": pa.string(),
        "sentences": _WORDS,
        "tokens": _WORDS,
        "words": _WORDS,
        "content_words": _WORDS,
        "stems": _WORDS,
        "bigrams": _WORDS,
    },
    "scores": {**_QUESTION, "task": pa.string(), "of_query": _ID, "candidate_id": _ID, "score": pa.float64()},
    "votes": {
        **_QUESTION,
        "post_id": _ID,
        "vote_type_id": pa.int32(),
        "known_at": _TIME,  # the end of the day of the votes
        "number": pa.int64(),  # of votes of this day
    },
    "retrieved": {
        **_QUESTION,
        "candidate_id": _ID,
        "bm25": pa.float64(),
        "bm25_rank": pa.int32(),
        "cosine": pa.float64(),
        "cosine_rank": pa.int32(),
    },
    "links": {**_QUESTION, "candidate_id": _ID, "linked_at": _TIME, "is_duplicate": pa.bool_()},
}
"""The columns of each table of a ``QueryBatch``; ids are those of the lake's tables."""

Derived = TypeVar("Derived")

_Key = tuple[int, str]
"""The index of a question, and the id of a post, comment or document there: other questions may have the same one."""


@dataclass(frozen=True)
class QueryBatch:
    """All queries of whole questions, as input of query groups; ``TABLES`` has the columns of each table.

    A table that no group reads has neither columns nor rows.

    Attributes:
        examples: rows of the table ``examples`` without labels, in order of site, query, candidate; with ``facts``, the
            groups' facts about authors, if there are any.
        posts: questions of the queries and of their candidates' threads, with the answers there; also the
            ``post_columns`` of the groups.
        comments: comments of the candidates' threads; also the ``comment_columns`` of the groups.
        documents: the texts of the posts and comments.
        analysed_texts: distinct rows of the table ``texts``; also the vectors of each embedding model that a group
            uses.
        scores: scores of upstream systems, of the question and of the candidates' threads as queries.
        votes: up and down votes for the candidates, by day.
        retrieved: retrieval scores of the candidates.
        links: links to the candidates.
    """

    examples: pa.Table
    posts: pa.Table
    comments: pa.Table
    documents: pa.Table
    analysed_texts: pa.Table
    scores: pa.Table
    votes: pa.Table
    retrieved: pa.Table = field(default_factory=lambda: pa.table({}))
    links: pa.Table = field(default_factory=lambda: pa.table({}))
    _shared: dict[tuple[Hashable, ...], Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        """Number of examples."""
        return int(self.examples.num_rows)

    def column(self, name: str) -> list[Any]:
        """A column of the examples as Python values."""
        return self.examples.column(name).to_pylist()

    def times(self, name: str) -> Reals:
        """A column of timestamps of the examples, in seconds since 1970; NaN where unknown."""
        return seconds(self.examples.column(name))

    def facts(self, group: str) -> pa.ChunkedArray:
        """A group's facts about the author of each candidate, as structs; null without facts."""
        return pc.struct_field(self.examples.column("facts"), group)

    def derive(self, function: Callable[..., Derived], *arguments: Hashable) -> Derived:
        """The value of a function of this batch and the arguments, computed once per batch, like ``Texts.derive``."""
        key = (function, *arguments)
        if key not in self._shared:
            self._shared[key] = function(self, *arguments)
        return cast(Derived, self._shared[key])

    def keep(self, mask: Mask) -> QueryBatch:
        """The same batch with fewer examples; texts, posts and comments stay and are shared.

        Args:
            mask: True for each example to keep.
        """
        kept = replace(self, examples=self.examples.filter(pa.array(mask)), _shared={})
        for name in ("_questions", "texts", "thread_comments"):
            kept.__dict__[name] = getattr(self, name)
        return kept

    @cached_property
    def query(self) -> Indices:
        """The index of each example's query; the examples are in order of queries."""
        changes = [np.diff(codes(self.examples[name])[0], prepend=ABSENT) for name in ("site", "query_id")]
        return np.cumsum(np.logical_or(*changes)) - 1

    @cached_property
    def question(self) -> Indices:
        """The index of each example's question: the post that its query is about."""
        return self.question_of(self.examples)

    def question_of(self, rows: pa.Table) -> Indices:
        """The index of the question that rows of a table of the batch belong to."""
        index = pc.index_in(_question_keys(rows), value_set=self._questions)
        return np.asarray(index.fill_null(ABSENT).to_numpy(), dtype=np.int64)

    @cached_property
    def query_post(self) -> Indices:
        """The index in ``posts`` of each example's query; ``ABSENT`` if the corpus lacks it."""
        return indices_of(self._keys("query_post_id"), self._post_keys)

    @cached_property
    def candidate_post(self) -> Indices:
        """The index in ``posts`` of each candidate; ``ABSENT`` if it is not a post."""
        return indices_of(self._keys("candidate_id"), self._post_keys)

    def joined(self, column: str, rows: pa.Table, name: str) -> tuple[Indices, Indices]:
        """The indices of examples, and of rows of their question with the same value, as in an inner join.

        Args:
            column: of the examples.
            rows: another table of the batch.
            name: its column with the values.
        """
        of_examples, of_rows = codes(self.examples[column], rows[name])
        # Question and value as one number: there are fewer codes than values.
        size = len(of_examples) + len(of_rows)
        return matches(self.question * size + of_examples, self.question_of(rows) * size + of_rows)

    @cached_property
    def texts(self) -> Texts:
        """The analysed texts."""
        return Texts(self.analysed_texts)

    @cached_property
    def query_text(self) -> Indices:
        """The index in ``texts`` of each example's query (subject and body); ``ABSENT`` for none."""
        return self._texts_of(self._keys("query_post_id"))

    @cached_property
    def subject_text(self) -> Indices:
        """The index in ``texts`` of the subject of each example's query; ``ABSENT`` for none."""
        return self._texts_of(self._keys("query_post_id"), subject=True)

    @cached_property
    def candidate_text(self) -> Indices:
        """The index in ``texts`` of each candidate; ``ABSENT`` for none."""
        return self._texts_of(self._keys("candidate_id"))

    def known_candidate_texts(self) -> list[int | None]:
        """``candidate_text`` as a list, with None for candidates without a text."""
        return [None if index == ABSENT else index for index in self.candidate_text.tolist()]

    @cached_property
    def candidate_subject_text(self) -> Indices:
        """The index in ``texts`` of each candidate's subject; ``ABSENT`` for none, as for comments."""
        return self._texts_of(self._keys("candidate_id"), subject=True)

    @cached_property
    def category(self) -> list[str | None]:
        """The forum section of the thread of each candidate."""
        categories = dict(zip(self._post_keys, self.posts["category"].to_pylist(), strict=True))
        return [categories.get(key) for key in self._keys("thread_id")]

    @cached_property
    def thread_comments(self) -> ThreadComments:
        """The comments of the candidates' threads, as arrays."""
        comments = self.comments.append_column("question", pa.array(self.question_of(self.comments)))
        comments = comments.sort_by([(name, "ascending") for name in ("question", "post_id", "position", "comment_id")])
        question, post_id = comments["question"].to_numpy(), comments["post_id"].to_pylist()
        post_keys = list(zip(question.tolist(), post_id, strict=True))
        document_keys = zip(question.tolist(), comments["document_id"].to_pylist(), strict=True)
        # The post of each comment; at ABSENT, the last item, its author and time are unknown.
        post = indices_of(post_keys, self._post_keys)
        post_authors = [*self.posts["author"].to_pylist(), None]
        return ThreadComments(
            ids=comments["comment_id"].to_pylist(),
            question=question,
            post_id=post_id,
            position=doubles(comments["position"]),
            author=comments["author"].to_pylist(),
            author_name=comments["author_name"].to_pylist(),
            created_at=seconds(comments["created_at"]),
            text=self._texts_of(document_keys),
            asker=[post_authors[index] for index in post],
            asked_at=values_at(post, seconds(self.posts["created_at"])),
            post_text=self._texts_of(post_keys),
        )

    @cached_property
    def comment(self) -> Indices:
        """The index in ``thread_comments`` of each candidate; ``ABSENT`` if the candidate is a post."""
        comments = self.thread_comments
        return indices_of(self._keys("candidate_id"), zip(comments.question.tolist(), comments.ids, strict=True))

    @cached_property
    def by_person(self) -> Mask:
        """Whether each candidate is a comment whose author is one known person."""
        # The last item, at ABSENT, is for candidates that are posts.
        known = np.array([*(author is not None for author in self.thread_comments.author), False])
        return cast(Mask, known[self.comment])

    @cached_property
    def _questions(self) -> pa.Array:
        """The key of each question, in order of its index."""
        return pc.unique(_question_keys(self.examples))

    @cached_property
    def _post_keys(self) -> list[_Key]:
        return list(zip(self.question_of(self.posts).tolist(), self.posts["post_id"].to_pylist(), strict=True))

    def _keys(self, column: str) -> list[_Key]:
        """The question of each example, and the id in a column of the examples."""
        return list(zip(self.question.tolist(), self.column(column), strict=True))

    @cached_property
    def _text_of_document(self) -> dict[_Key, tuple[int, int]]:
        """The indices in ``texts`` of each document's text and subject; ``ABSENT`` for none."""
        index = {text_id: row for row, text_id in enumerate(self.analysed_texts["text_id"].to_pylist())}
        questions = self.question_of(self.documents).tolist()
        columns = (self.documents[name].to_pylist() for name in ("document_id", "text_id", "subject_text_id"))
        return {
            (question, document): (index.get(text, ABSENT), index.get(subject, ABSENT))
            for question, document, text, subject in zip(questions, *columns, strict=True)
        }

    def _texts_of(self, documents: Iterable[_Key], *, subject: bool = False) -> Indices:
        """The index in ``texts`` of documents, or of their subjects."""
        absent = (ABSENT, ABSENT)
        return np.array([self._text_of_document.get(key, absent)[subject] for key in documents], np.int64)


def _question_keys(rows: pa.Table) -> pa.ChunkedArray:
    """Site and post of the question of each row, as one string."""
    return pc.binary_join_element_wise(rows["site"], rows["query_post_id"], "\0")


@dataclass(frozen=True)
class ThreadComments:
    """The comments of a batch as arrays, sorted by question, post, position and id.

    Attributes:
        ids: comment ids.
        question: index as in ``QueryBatch.question``; a comment occurs once for each question with a candidate whose
            thread contains it.
        post_id: the post that the comment is below.
        position: position among the comments of the post, from 1; NaN where unknown.
        author: the author if it is one known person; None otherwise, for example for shared accounts.
        author_name: the author's name as in the dump.
        created_at: seconds since 1970; NaN where unknown.
        text: index of the text in ``QueryBatch.texts``; ``ABSENT`` for none.
        asker: author of the post if it is one known person; None otherwise.
        asked_at: time of the post, in seconds since 1970; NaN where unknown.
        post_text: index of the post's text in ``QueryBatch.texts``; ``ABSENT`` for none.
    """

    ids: Sequence[str]
    question: Indices
    post_id: Sequence[str]
    position: Reals
    author: Sequence[str | None]
    author_name: Sequence[str | None]
    created_at: Reals
    text: Indices
    asker: Sequence[str | None]
    asked_at: Reals
    post_text: Indices

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def threads(self) -> list[slice]:
        """The comments below each post of each question, as slices of the columns."""
        keys = list(zip(self.question.tolist(), self.post_id, strict=True))
        starts = [row for row, key in enumerate(keys) if row == 0 or key != keys[row - 1]]
        return [slice(start, end) for start, end in pairwise([*starts, len(keys)])]

    @cached_property
    def by_post(self) -> dict[tuple[int, str], slice]:
        """The slice of each pair of question and post."""
        return {(int(self.question[part.start]), self.post_id[part.start]): part for part in self.threads}


class Texts:
    """The distinct texts of a batch; each method returns a list with one item per text.

    Args:
        table: rows of the table ``texts``.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._lists: dict[str, list[Any]] = {}
        self._derived: dict[tuple[Hashable, ...], Any] = {}

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @property
    def raw(self) -> list[str]:
        """The texts as in the dump; for HTML, the prose only."""
        return self.unit("raw")

    @property
    def clean(self) -> list[str]:
        """The texts without markup."""
        return self.unit("clean")

    @property
    def sentences(self) -> list[list[str]]:
        """The sentences of each clean text."""
        return self.unit("sentences")

    @property
    def tokens(self) -> list[list[str]]:
        """Lower-case tokens, punctuation included."""
        return self.unit("tokens")

    @property
    def words(self) -> list[list[str]]:
        """Tokens that contain a letter or digit."""
        return self.unit("words")

    @property
    def content_words(self) -> list[list[str]]:
        """Words without stop words."""
        return self.unit("content_words")

    @property
    def stems(self) -> list[list[str]]:
        """The stem of each content word."""
        return self.unit("stems")

    def unit(self, name: str) -> list[Any]:
        """A column of the table ``texts``."""
        if name not in self._lists:
            self._lists[name] = self.column(name).to_pylist()
        return self._lists[name]

    def column(self, name: str) -> pa.ChunkedArray:
        """A column of the table ``texts`` as an Arrow array, for use with Arrow's compute functions."""
        return self._table.column(name)

    def vectors(self, model: str) -> Vectors:
        """The embeddings of the texts.

        Args:
            model: name of an embedding model declared by a group of the pass.

        Returns:
            Shape (texts + 1, dimension); NaN for texts without a vector, and in the last row, the row at ``ABSENT``.
        """
        return self.derive(_vectors, model)

    def derive(self, function: Callable[..., Derived], *arguments: Hashable) -> Derived:
        """The value of a function of these texts, computed once per batch.

        Args:
            function: takes these texts and the arguments. The function object is the cache key, so pass a module-level
                function rather than a lambda.
            arguments: further arguments of the function, such as a fitted object.
        """
        key = (function, *arguments)
        if key not in self._derived:
            self._derived[key] = function(self, *arguments)
        return cast(Derived, self._derived[key])


def vector_column(model: str) -> str:
    """Name of the column with the vectors of an embedding model."""
    return f"vector_{model}"


def _vectors(texts: Texts, model: str) -> Vectors:
    column = texts.column(vector_column(model)).combine_chunks()
    known = column.is_valid().to_numpy(zero_copy_only=False)
    components = column.flatten().to_numpy(zero_copy_only=False)
    dimension = len(components) // int(known.sum()) if known.any() else 1
    vectors = np.full((len(texts) + 1, dimension), np.nan, dtype=np.float32)
    vectors[:-1][known] = components.reshape(-1, dimension)
    return vectors
