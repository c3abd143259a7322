"""Whole queries in memory: their examples, and everything that was written in the threads of their candidates.

Feature groups compute from a batch with NumPy and plain Python; no group knows Spark. What several groups need of the
same texts is derived once per batch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

Derived = TypeVar("Derived")
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]
Vectors = NDArray[np.float32]

ABSENT = -1
"""The index of a row that is not there."""


class Texts:
    """The distinct texts of a batch; each column of the table ``texts`` is a list with an item per text.

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
        """The texts as in the dump; of an HTML body its prose."""
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

    @property
    def bigrams(self) -> list[list[str]]:
        """Pairs of neighbouring words of a sentence, joined by a blank."""
        return self.unit("bigrams")

    def unit(self, name: str) -> list[Any]:
        """A column of the table ``texts``."""
        if name not in self._lists:
            self._lists[name] = self.column(name).to_pylist()
        return self._lists[name]

    def column(self, name: str) -> pa.ChunkedArray:
        """A column of the table ``texts`` as Arrow has it, for what its kernels do faster than Python."""
        return self._table.column(name)

    def vectors(self, model: str) -> Vectors:
        """The embeddings of the texts.

        Args:
            model: name of an embedding model that a group of the pass declares.

        Returns:
            Shape (texts + 1, dimension); NaN for a text without a vector, and in the last row, which ``ABSENT`` names.
        """
        return self.derive(_vectors, model)

    def derive(self, function: Callable[..., Derived], *arguments: Hashable) -> Derived:
        """The value of a function of these texts, computed once per batch.

        Args:
            function: of these texts and the arguments. It identifies the value, so it must be the same object for all
                who share the value: a function of a module, not a lambda.
            arguments: what else the value depends on, such as a learned object.
        """
        key = (function, *arguments)
        if key not in self._derived:
            self._derived[key] = function(self, *arguments)
        return cast(Derived, self._derived[key])


@dataclass(frozen=True)
class Comments:
    """The comments of a batch, by query, post, position and id; the comments below one post are neighbours.

    Attributes:
        ids: comment ids.
        query: index of the query in ``QueryBatch.queries``; a comment is there once for each query whose candidates'
            threads contain it.
        post_id: the post that the comment is below.
        position: place among the comments of the post, from 1; NaN where unknown.
        author: the author where it is one known person; None for others, such as accounts that many people share.
        author_name: the author's name as in the dump.
        created_at: seconds since 1970; NaN where unknown.
        text: index of the text in ``QueryBatch.texts``; ``ABSENT`` for none.
        asker: who wrote the post, if that is one known person.
        asked_at: when the post was written, in seconds since 1970; NaN where unknown.
        asked: index of the post's text in ``QueryBatch.texts``; ``ABSENT`` for none.
    """

    ids: Sequence[str]
    query: Indices
    post_id: Sequence[str]
    position: NDArray[np.float64]
    author: Sequence[str | None]
    author_name: Sequence[str | None]
    created_at: NDArray[np.float64]
    text: Indices
    asker: Sequence[str | None]
    asked_at: NDArray[np.float64]
    asked: Indices

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def threads(self) -> list[slice]:
        """The comments below each post of each query, as slices of the columns."""
        keys = list(zip(self.query.tolist(), self.post_id, strict=True))
        starts = [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]
        return [slice(start, end) for start, end in zip(starts, [*starts[1:], len(keys)], strict=True)]

    @cached_property
    def by_post(self) -> dict[tuple[int, str], slice]:
        """The slice of each query and post."""
        return {(int(self.query[part.start]), self.post_id[part.start]): part for part in self.threads}


@dataclass(frozen=True)
class QueryBatch:
    """Whole queries and everything that feature groups compute their examples' values from.

    Attributes:
        examples: rows of the table ``examples`` without labels, in order of site, query, candidate; one row of values
            is computed for each. Their ``cut`` is the moment after which as-of groups know nothing, their ``account``
            the candidate's author where that is one person, their ``fold`` from 0 for training examples and else -1,
            and their ``facts`` what groups know of the authors.
        posts: questions of the queries and of their candidates' threads, with the answers there: ``site``,
            ``query_id``, ``post_id``, ``thread_id``, ``author`` (one known person, or null), ``created_at``,
            ``category``, and the ``post_columns`` of the groups.
        said: comments of the candidates' threads: ``site``, ``query_id``, ``comment_id``, ``post_id``, ``position``,
            ``author``, ``author_name``, ``created_at``, ``document_id``, and the ``comment_columns`` of the groups.
        documents: ``site``, ``query_id``, ``document_id``, ``text_id``, ``subject_text_id``.
        analysed: rows of the table ``texts``, with the vectors of each embedding model that a group looks at.
        scores: scores of upstream systems: ``site``, ``query_id`` (of the batch), ``task``, ``of_query``,
            ``candidate_id``, ``score``.
        votes: up and down votes for the candidates: ``site``, ``query_id``, ``post_id``, ``vote_type_id``,
            ``known_at``, ``number``.
        retrieved: what retrieval knows of the candidates: ``site``, ``query_id``, ``candidate_id``, ``bm25``,
            ``bm25_rank``, ``cosine``, ``cosine_rank``.
        links: links to the candidates: ``site``, ``query_id``, ``candidate_id``, ``linked_at``, ``is_duplicate``.
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
    _shared: dict[Callable[[QueryBatch], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        """Number of examples."""
        return int(self.examples.num_rows)

    def column(self, name: str) -> list[Any]:
        """A column of the examples as Python values."""
        return self.examples.column(name).to_pylist()

    def times(self, name: str) -> NDArray[np.float64]:
        """A column of timestamps of the examples, in seconds since 1970; NaN where unknown."""
        return seconds(self.examples.column(name))

    def facts(self, group: str) -> pa.ChunkedArray:
        """What a group knows of the author of each candidate, as structs; null where it knows nothing."""
        return pc.struct_field(self.examples.column("facts"), group)

    def derive(self, function: Callable[[QueryBatch], Derived]) -> Derived:
        """The value of a function of this batch, computed once, as ``Texts.derive`` does."""
        if function not in self._shared:
            self._shared[function] = function(self)
        return cast(Derived, self._shared[function])

    def keep(self, mask: Mask) -> QueryBatch:
        """The same batch with fewer examples; texts, posts and comments stay and are shared.

        Args:
            mask: True for each example to keep.
        """
        kept = replace(self, examples=self.examples.filter(pa.array(mask)), _shared={})
        for name in ("queries", "texts", "comments"):
            kept.__dict__[name] = getattr(self, name)
        return kept

    @cached_property
    def queries(self) -> dict[tuple[str, str], int]:
        """The index of each query, by site and id."""
        keys = zip(self.column("site"), self.column("query_id"), strict=True)
        return {key: place for place, key in enumerate(dict.fromkeys(keys))}

    @cached_property
    def query(self) -> Indices:
        """The index of each example's query."""
        keys = zip(self.column("site"), self.column("query_id"), strict=True)
        return np.array([self.queries[key] for key in keys], dtype=np.int64)

    @cached_property
    def query_post(self) -> Indices:
        """The index in ``posts`` of each example's query; ``ABSENT`` where the corpus lacks it."""
        return self._posts_of("query_id")

    @cached_property
    def candidate_post(self) -> Indices:
        """The index in ``posts`` of each candidate; ``ABSENT`` where it is no post."""
        return self._posts_of("candidate_id")

    def query_of(self, rows: pa.Table) -> Indices:
        """The index of the query that rows of another table of the batch belong to."""
        keys = zip(rows["site"].to_pylist(), rows["query_id"].to_pylist(), strict=True)
        return np.array([self.queries[key] for key in keys], dtype=np.int64)

    @cached_property
    def texts(self) -> Texts:
        """The analysed texts."""
        return Texts(self.analysed)

    @cached_property
    def query_text(self) -> Indices:
        """The index in ``texts`` of each example's query (subject and body); ``ABSENT`` for none."""
        return self._texts_of(self.query, self.column("query_id"), "text")

    @cached_property
    def subject_text(self) -> Indices:
        """The index in ``texts`` of the subject of each example's query; ``ABSENT`` for none."""
        return self._texts_of(self.query, self.column("query_id"), "subject")

    @cached_property
    def candidate_text(self) -> Indices:
        """The index in ``texts`` of each candidate; ``ABSENT`` for none."""
        return self._texts_of(self.query, self.column("candidate_id"), "text")

    @cached_property
    def candidate_subject_text(self) -> Indices:
        """The index in ``texts`` of each candidate's subject; ``ABSENT`` for none, as for comments."""
        return self._texts_of(self.query, self.column("candidate_id"), "subject")

    @cached_property
    def category(self) -> list[str | None]:
        """The forum section of the thread of each candidate."""
        found = {
            key: category for key, category in zip(self._post_keys, self.posts["category"].to_pylist(), strict=True)
        }
        return [found.get(key) for key in zip(self.query.tolist(), self.column("thread_id"), strict=True)]

    @cached_property
    def comments(self) -> Comments:
        """The comments of the candidates' threads."""
        said = self.said.append_column("query", pa.array(self.query_of(self.said)))
        said = said.sort_by([(name, "ascending") for name in ("query", "post_id", "position", "comment_id")])
        query, post_id = said["query"].to_numpy(), said["post_id"].to_pylist()
        posts = {key: place for place, key in enumerate(self._post_keys)}
        post = np.array([posts.get(key, ABSENT) for key in zip(query.tolist(), post_id, strict=True)], dtype=np.int64)
        askers, asked_at = [*self.posts["author"].to_pylist(), None], [*seconds(self.posts["created_at"]), np.nan]
        return Comments(
            ids=said["comment_id"].to_pylist(),
            query=query,
            post_id=post_id,
            position=doubles(said["position"]),
            author=said["author"].to_pylist(),
            author_name=said["author_name"].to_pylist(),
            created_at=seconds(said["created_at"]),
            text=self._texts_of(query, said["document_id"].to_pylist(), "text"),
            asker=[askers[place] for place in post],
            asked_at=np.array([asked_at[place] for place in post], dtype=np.float64),
            asked=self._texts_of(query, post_id, "text"),
        )

    @cached_property
    def comment(self) -> Indices:
        """The index in ``comments`` of each candidate; ``ABSENT`` where the candidate is a post."""
        keys = zip(self.comments.query.tolist(), self.comments.ids, strict=True)
        found = {key: place for place, key in enumerate(keys)}
        candidates = zip(self.query.tolist(), self.column("candidate_id"), strict=True)
        return np.array([found.get(key, ABSENT) for key in candidates], dtype=np.int64)

    @cached_property
    def by_person(self) -> Mask:
        """Whether each candidate is a comment whose author is one known person."""
        known = np.array([*(author is not None for author in self.comments.author), False])
        return cast(Mask, known[self.comment])

    @cached_property
    def _text_ids(self) -> dict[tuple[int, str], dict[str, int]]:
        """By query and document, the index of its text and of its subject."""
        index = {text_id: place for place, text_id in enumerate(self.analysed["text_id"].to_pylist())}
        rows = zip(
            self.query_of(self.documents).tolist(),
            *(self.documents[name].to_pylist() for name in ("document_id", "text_id", "subject_text_id")),
            strict=True,
        )
        return {
            (query, document): {"text": index.get(text, ABSENT), "subject": index.get(subject, ABSENT)}
            for query, document, text, subject in rows
        }

    @cached_property
    def _post_keys(self) -> list[tuple[int, str]]:
        return list(zip(self.query_of(self.posts).tolist(), self.posts["post_id"].to_pylist(), strict=True))

    def _texts_of(self, query: Indices, documents: Iterable[str], what: str) -> Indices:
        keys = zip(query.tolist(), documents, strict=True)
        return np.array([self._text_ids[key][what] if key in self._text_ids else ABSENT for key in keys], np.int64)

    def _posts_of(self, column: str) -> Indices:
        places = {key: place for place, key in enumerate(self._post_keys)}
        keys = zip(self.query.tolist(), self.column(column), strict=True)
        return np.array([places.get(key, ABSENT) for key in keys], dtype=np.int64)


def vector_column(model: str) -> str:
    """Name of the column of ``QueryBatch.analysed`` that has the vectors of an embedding model."""
    return f"vector_{model}"


def _vectors(texts: Texts, model: str) -> Vectors:
    column = texts.column(vector_column(model)).combine_chunks()
    known = column.is_valid().to_numpy(zero_copy_only=False)
    components = column.flatten().to_numpy(zero_copy_only=False)
    dimension = len(components) // int(known.sum()) if known.any() else 1
    vectors = np.full((len(texts) + 1, dimension), np.nan, dtype=np.float32)
    vectors[:-1][known] = components.reshape(-1, dimension)
    return vectors


def seconds(timestamps: pa.ChunkedArray) -> NDArray[np.float64]:
    """Timestamps in seconds since 1970; NaN for nulls."""
    return doubles(pc.cast(timestamps, pa.timestamp("us", "UTC")).cast(pa.int64())) / 1e6


def values_at(places: Indices, values: ArrayLike) -> Reals:
    """The values at some places; NaN where a place is ``ABSENT``."""
    return np.append(np.asarray(values, dtype=np.float64), np.nan)[places]


def matches(keys: Indices, others: Indices) -> tuple[Indices, Indices]:
    """The places of equal keys in two arrays, as in an inner join.

    Returns:
        Places in ``keys``, in ascending order, and places in ``others``.
    """
    order = np.argsort(others, kind="stable")
    ordered = others[order]
    first = np.searchsorted(ordered, keys, side="left")
    numbers = np.searchsorted(ordered, keys, side="right") - first
    place = np.repeat(np.arange(len(keys)), numbers)
    within = np.arange(len(place)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    return place, order[first[place] + within]


def codes(*columns: pa.ChunkedArray) -> list[Indices]:
    """Numbers in place of values, the same for equal values of all columns; ``ABSENT`` for nulls."""
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], type=columns[0].type)
    numbers = together.combine_chunks().dictionary_encode().indices.fill_null(ABSENT).to_numpy().astype(np.int64)
    return np.split(numbers, np.cumsum([len(column) for column in columns])[:-1])


def filled(values: Iterable[float | None]) -> NDArray[np.float64]:
    """Numbers as an array, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def fields(structs: pa.ChunkedArray) -> dict[str, pa.ChunkedArray]:
    """The columns of structs, null where the struct is."""
    return dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))


def items(lists: pa.ChunkedArray) -> tuple[Indices, dict[str, pa.ChunkedArray]]:
    """The structs in lists: the index of the list that each is in, and their columns."""
    whole = lists.combine_chunks()
    return pc.list_parent_indices(whole).to_numpy(), fields(pa.chunked_array([pc.list_flatten(whole)]))


def counts(numbers: pa.ChunkedArray) -> Reals:
    """Counts as doubles; 0 for nulls."""
    return doubles(numbers.fill_null(0))


def doubles(numbers: pa.ChunkedArray) -> Reals:
    """Numbers as doubles; NaN for nulls."""
    return np.asarray(pc.cast(numbers, pa.float64(), safe=False).to_numpy(), dtype=np.float64)
