"""What feature groups compute, as a hash of their values for two literal threads and one author.

A description may be reworded and a function moved without changing the features that a model gets; a threshold may be
changed without any declaration showing it. The values tell the two apart.
"""

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

from cqa_spark.features.author_batch import CONTRIBUTIONS, AuthorBatch, EventKind
from cqa_spark.features.group import AuthorGroup, FeatureGroup, LearningGroup, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import group_class

_DIGITS = 9
"""Significant digits in the hash: the last digits of a logarithm differ between processors."""

_ASKED = datetime(2020, 3, 2, 9, tzinfo=UTC)
_CUT = datetime(2020, 3, 18, tzinfo=UTC)

_ANSWERS = (
    # question, answer, account, hours after the question, body
    ("Q1", "A1", "U2", 3, "<p>You know: I do, and my cat too! You should read <a href='x'>the manual</a>.</p>"),
    ("Q1", "A2", "U1", 72, "<ul><li>a b</li><li>a</li></ul><pre><code>x = 1</code></pre><p>c &amp; d</p><p>e</p>"),
    ("Q1", "A3", None, 200, "short"),
    ("Q1", "A4", "U3", 500, "<p>after the cut</p>"),
    ("Q2", "A5", "U2", -5, "<p>Look at <img src='y'> your picture!!</p>"),
    (
        "Q2",
        "A6",
        "U4",
        26,
        "<p>Look at your picture, twice as long as the one above, without its pictures</p>",
    ),
    ("Q2", "A7", "U4", 26, ""),
)
_VOTES = (
    # question, answer, type (2 is up, 3 is down), days after the question at whose end it is known, number
    ("Q1", "A1", 2, 1, 2),
    ("Q1", "A1", 2, 2, 4),
    ("Q1", "A1", 3, 4, 1),
    ("Q1", "A2", 2, 4, 3),
    ("Q1", "A2", 2, 15, 1),
    ("Q1", "A3", 3, 12, 2),
    ("Q1", "A3", 2, 40, 9),
    ("Q2", "A5", 2, 1, 30),
    ("Q2", "A6", 2, 2, 1),
    ("Q2", "A6", 1, 3, 1),
)
_EVENTS = (
    # kind, day, count, of which in the thread of the moment
    (EventKind.ANSWERED, 1, 3, 1),
    (EventKind.COMMENTED, 2, 2, 0),
    (EventKind.UP, 3, 11, 4),
    (EventKind.DOWN, 4, 2, 1),
    (EventKind.ACCEPTED, 5, 2, 1),
    (EventKind.ASKED, 6, 1, 0),
    (EventKind.MOMENT, 7, 1, 0),
    (EventKind.DOWN, 8, 40, 0),
    (EventKind.MOMENT, 9, 1, 0),
)


def values_hash(groups: Iterable[str]) -> str:
    """A hash of what feature groups compute: of their columns, and of the values for the literal threads.

    Of a group that learns, or reads analysed texts or comments, it covers the name, whose version states what is
    computed, and the columns with the values that replace unknown ones.

    Args:
        groups: their names, in the order of their columns.
    """
    content = []
    for group in map(group_class, groups):
        values = _literal_values(group)
        columns = [[column.name, column.missing, values.get(column.name)] for column in group.columns]
        content.append([group.name, *columns])
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def _literal_values(group: type[FeatureGroup]) -> dict[str, list[str]]:
    """The values of each column as decimal numbers; empty for groups that need more than the literals have."""
    values: Values = {}
    if issubclass(group, LearningGroup) or group.reads_texts or group.embeddings:
        return {}
    if issubclass(group, QueryGroup) and not group.reads_comments:
        reads_literals_only = {*group.needs} <= {"votes"} and {*group.post_columns} <= {"subject", "body"}
        values = group().compute(literal_threads()) if reads_literals_only else {}
    elif issubclass(group, AuthorGroup) and group.marked is None:
        values = group().compute(literal_author())
    return {
        name: [f"{value:.{_DIGITS}g}" for value in np.asarray(column, np.float64)] for name, column in values.items()
    }


def literal_threads() -> QueryBatch:
    """Two questions with answers and votes for them, as rows of the pass over queries."""
    questions = sorted({question for question, *_ in _ANSWERS})
    shared = {"site": "probe.example.org", "task": "probe", "split": "train", "fold": -1}
    examples = [
        shared
        | {"query_id": question, "query_post_id": question, "thread_id": question, "fold_key": question}
        | {"candidate_id": answer, "author_id": account, "account": account, "asker_id": "U1", "asked_at": _ASKED}
        | {"answered_at": _after(hours / 24), "cut": _CUT, "initial_rank": rank}
        for rank, (question, answer, account, hours, _) in enumerate(_ANSWERS, start=1)
    ]
    rows = [*((question, question, "U1", 0, None) for question in questions), *_ANSWERS]
    posts = [
        {"site": shared["site"], "query_post_id": question, "thread_id": question, "post_id": post, "author": account}
        | {"created_at": _after(hours / 24), "category": None, "subject": None, "body": body}
        for question, post, account, hours, body in rows
    ]
    votes = [
        {"site": shared["site"], "query_post_id": question, "post_id": answer, "vote_type_id": kind, "number": number}
        | {"known_at": _after(days).replace(hour=0)}
        for question, answer, kind, days, number in _VOTES
    ]
    none = pa.table({})
    return QueryBatch(
        examples=pa.Table.from_pylist(examples),
        posts=pa.Table.from_pylist(posts),
        votes=pa.Table.from_pylist(votes),
        comments=none,
        documents=none,
        analysed_texts=none,
        scores=none,
    )


def _after(days: float) -> datetime:
    return _ASKED + timedelta(days=days)


def literal_author() -> AuthorBatch:
    """One author with events of each kind, and two moments."""
    kinds, days, counts, own = (np.array(column, dtype=np.int64) for column in zip(*_EVENTS, strict=True))
    moments = np.flatnonzero(kinds == EventKind.MOMENT)
    # By kind, the number of contributions in the own thread up to each moment.
    in_own_thread = {
        kind: np.array([own[:moment][kinds[:moment] == kind].sum() for moment in moments]) for kind in CONTRIBUTIONS
    }
    return AuthorBatch(
        author=np.zeros(len(kinds), np.int64),
        kind=kinds.astype(np.int8),
        time=days * 86_400_000_000,
        count=counts,
        marks={},
        own=in_own_thread,
    )
