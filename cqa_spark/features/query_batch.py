"""Batches of whole questions in memory: examples, with the posts and comments of the candidates' threads.

A question has one query, or one for each of its replayed nights, which share all other rows.

Feature groups compute on a batch with NumPy and plain Python, without Spark. Values that several groups derive from the
same texts are computed once per batch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, Vectors, codes, doubles, matches, places_of, seconds

# The distinct texts of a batch, and values derived from them once per batch.

Derived = TypeVar("Derived")


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


# The comments of a batch.


@dataclass(frozen=True)
class Comments:
    """The comments of a batch, sorted by question, post, position and id.

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
        asked: index of the post's text in ``QueryBatch.texts``; ``ABSENT`` for none.
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
    asked: Indices

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def threads(self) -> list[slice]:
        """The comments below each post of each question, as slices of the columns."""
        keys = list(zip(self.question.tolist(), self.post_id, strict=True))
        starts = [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]
        return [slice(start, end) for start, end in pairwise([*starts, len(keys)])]

    @cached_property
    def by_post(self) -> dict[tuple[int, str], slice]:
        """The slice of each pair of question and post."""
        return {(int(self.question[part.start]), self.post_id[part.start]): part for part in self.threads}


@dataclass(frozen=True)
class QueryBatch:
    """All queries of whole questions, as input of query groups.

    Attributes:
        examples: rows of the table ``examples`` without labels, in order of site, query, candidate. ``cut`` is the time
            up to which as-of groups use events, ``account`` the candidate's author (null unless one known person),
            ``query_post_id`` the id of the post that it is ranked for, ``fold`` the fold of a training example (-1 for
            others), and ``facts`` the groups' facts about authors.
        posts: questions of the queries and of their candidates' threads, with the answers there: ``site``,
            ``query_post_id``, ``post_id``, ``thread_id``, ``author`` (one known person, or null), ``created_at``,
            ``category``, and the ``post_columns`` of the groups.
        said: comments of the candidates' threads: ``site``, ``query_post_id``, ``comment_id``, ``post_id``,
            ``position``, ``author``, ``author_name``, ``created_at``, ``document_id``, and the ``comment_columns`` of
            the groups.
        documents: ``site``, ``query_post_id``, ``document_id``, ``text_id``, ``subject_text_id``.
        analysed: rows of the table ``texts``, with the vectors of each embedding model that a group uses.
        scores: scores of upstream systems: ``site``, ``query_post_id``, ``task``, ``of_query``,
            ``candidate_id``, ``score``.
        votes: up and down votes for the candidates: ``site``, ``query_post_id``, ``post_id``, ``vote_type_id``,
            ``known_at``, ``number``.
        retrieved: retrieval scores of the candidates: ``site``, ``query_post_id``, ``candidate_id``, ``bm25``,
            ``bm25_rank``, ``cosine``, ``cosine_rank``.
        links: links to the candidates: ``site``, ``query_post_id``, ``candidate_id``, ``linked_at``, ``is_duplicate``.
    """

    examples: pa.Table
    posts: pa.Table
    said: pa.Table
    documents: pa.Table
    analysed: pa.Table
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
        for name in ("_questions", "texts", "comments"):
            kept.__dict__[name] = getattr(self, name)
        return kept

    @cached_property
    def query(self) -> Indices:
        """The index of each example's query."""
        changes = [np.diff(codes(self.examples[name])[0], prepend=ABSENT) for name in ("site", "query_id")]
        return np.cumsum(np.logical_or(*changes)) - 1

    @cached_property
    def question(self) -> Indices:
        """The index of each example's question: the post that its query is about."""
        return self.question_of(self.examples)

    def question_of(self, rows: pa.Table) -> Indices:
        """The index of the question that rows of a table of the batch belong to."""
        found = pc.index_in(_question_keys(rows), value_set=self._questions)
        return np.asarray(found.fill_null(ABSENT).to_numpy(), dtype=np.int64)

    @cached_property
    def query_post(self) -> Indices:
        """The index in ``posts`` of each example's query; ``ABSENT`` if the corpus lacks it."""
        return self._posts_of("query_post_id")

    @cached_property
    def candidate_post(self) -> Indices:
        """The index in ``posts`` of each candidate; ``ABSENT`` if it is not a post."""
        return self._posts_of("candidate_id")

    def joined(self, column: str, rows: pa.Table, name: str) -> tuple[Indices, Indices]:
        """The indices of examples, and of rows of their question with the same value, as in an inner join.

        Args:
            column: of the examples.
            rows: another table of the batch.
            name: its column with the values.
        """
        own, others = codes(self.examples[column], rows[name])
        size = len(own) + len(others)
        return matches(self.question * size + own, self.question_of(rows) * size + others)

    @cached_property
    def texts(self) -> Texts:
        """The analysed texts."""
        return Texts(self.analysed)

    @cached_property
    def query_text(self) -> Indices:
        """The index in ``texts`` of each example's query (subject and body); ``ABSENT`` for none."""
        return self._texts_of(self.question, self.column("query_post_id"), "text")

    @cached_property
    def subject_text(self) -> Indices:
        """The index in ``texts`` of the subject of each example's query; ``ABSENT`` for none."""
        return self._texts_of(self.question, self.column("query_post_id"), "subject")

    @cached_property
    def candidate_text(self) -> Indices:
        """The index in ``texts`` of each candidate; ``ABSENT`` for none."""
        return self._texts_of(self.question, self.column("candidate_id"), "text")

    @cached_property
    def candidate_subject_text(self) -> Indices:
        """The index in ``texts`` of each candidate's subject; ``ABSENT`` for none, as for comments."""
        return self._texts_of(self.question, self.column("candidate_id"), "subject")

    @cached_property
    def category(self) -> list[str | None]:
        """The forum section of the thread of each candidate."""
        found = dict(zip(self._post_keys, self.posts["category"].to_pylist(), strict=True))
        return [found.get(key) for key in zip(self.question.tolist(), self.column("thread_id"), strict=True)]

    @cached_property
    def comments(self) -> Comments:
        """The comments of the candidates' threads."""
        said = self.said.append_column("question", pa.array(self.question_of(self.said)))
        said = said.sort_by([(name, "ascending") for name in ("question", "post_id", "position", "comment_id")])
        question, post_id = said["question"].to_numpy(), said["post_id"].to_pylist()
        post = places_of(zip(question.tolist(), post_id, strict=True), self._post_keys)
        askers, asked_at = [*self.posts["author"].to_pylist(), None], [*seconds(self.posts["created_at"]), np.nan]
        return Comments(
            ids=said["comment_id"].to_pylist(),
            question=question,
            post_id=post_id,
            position=doubles(said["position"]),
            author=said["author"].to_pylist(),
            author_name=said["author_name"].to_pylist(),
            created_at=seconds(said["created_at"]),
            text=self._texts_of(question, said["document_id"].to_pylist(), "text"),
            asker=[askers[place] for place in post],
            asked_at=np.array([asked_at[place] for place in post], dtype=np.float64),
            asked=self._texts_of(question, post_id, "text"),
        )

    @cached_property
    def comment(self) -> Indices:
        """The index in ``comments`` of each candidate; ``ABSENT`` if the candidate is a post."""
        candidates = zip(self.question.tolist(), self.column("candidate_id"), strict=True)
        return places_of(candidates, zip(self.comments.question.tolist(), self.comments.ids, strict=True))

    @cached_property
    def by_person(self) -> Mask:
        """Whether each candidate is a comment whose author is one known person."""
        known = np.array([*(author is not None for author in self.comments.author), False])
        return cast(Mask, known[self.comment])

    @cached_property
    def _questions(self) -> pa.Array:
        return pc.unique(_question_keys(self.examples))

    @cached_property
    def _text_ids(self) -> dict[tuple[int, str], dict[str, int]]:
        """The indices of each document's text and subject, by question and document."""
        index = {text_id: place for place, text_id in enumerate(self.analysed["text_id"].to_pylist())}
        rows = zip(
            self.question_of(self.documents).tolist(),
            *(self.documents[name].to_pylist() for name in ("document_id", "text_id", "subject_text_id")),
            strict=True,
        )
        return {
            (question, document): {"text": index.get(text, ABSENT), "subject": index.get(subject, ABSENT)}
            for question, document, text, subject in rows
        }

    @cached_property
    def _post_keys(self) -> list[tuple[int, str]]:
        return list(zip(self.question_of(self.posts).tolist(), self.posts["post_id"].to_pylist(), strict=True))

    def _texts_of(self, question: Indices, documents: Iterable[str], what: str) -> Indices:
        keys = zip(question.tolist(), documents, strict=True)
        return np.array([self._text_ids[key][what] if key in self._text_ids else ABSENT for key in keys], np.int64)

    def _posts_of(self, column: str) -> Indices:
        return places_of(zip(self.question.tolist(), self.column(column), strict=True), self._post_keys)


def _question_keys(rows: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(rows["site"], rows["query_post_id"], "\0")
