"""Converts rows of posts, comments and votes to events of authors; votes of a day form one event.

Features about other threads exclude the events of an author in the thread of an example.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa

from cqa_spark.features.arrays import Mask
from cqa_spark.features.author_batch import CONTRIBUTIONS, UNDATED, EventKind, Longs, starts_of_runs, sums_before

POST = 0
"""The kind of the post's own row; other rows have the ``EventKind`` of their event."""

TO_BE_FOUND = -1
"""Placeholder mark of acceptances; the question's marks are copied later from the author's answer."""

_DAY = 86_400_000_000

Mark = Callable[[pa.Table], Longs]
"""A group's function from the columns ``site`` and ``tags`` of questions to marks."""


def post_events(rows: pa.Table, marks: Mapping[str, Mark], wanted: Collection[EventKind]) -> pa.Table:
    """The events of some posts.

    Args:
        rows: all rows of some posts, in order of ``post``, ``kind`` and ``time``: the post itself, its answers,
            comments and votes. ``user`` is the author of the row's post or comment (null if deleted); ``answer`` is the
            number of an answer, or of a question's accepted answer; ``thread``, ``is_question``, ``site`` and ``tags``
            are those of the post. Times are in microseconds since 1970, null where unknown.
        marks: the functions that compute marks, by column of the result.
        wanted: kinds of events.

    Returns:
        author, thread, time, kind, count, and the marks; in no order.
    """
    post, kind, thread = (_longs(rows, name)[0] for name in ("post", "kind", "thread"))
    user, has_user = _longs(rows, "user")
    answer, has_answer = _longs(rows, "answer")
    time, has_time = _longs(rows, "time")
    head = starts_of_runs(post)
    is_there = kind[head] == POST
    is_question = (kind == POST) & _flags(rows, "is_question")
    questions, of_question = np.flatnonzero(is_question), is_question[head]
    marked = {name: _of_questions(rows, questions, mark)[head] for name, mark in marks.items()}

    written = np.flatnonzero((kind == EventKind.ANSWERED) & has_user)
    chosen = written[of_question[written] & has_answer[head[written]] & (answer[written] == answer[head[written]])]
    asked = questions[has_user[questions]]
    said = np.flatnonzero((kind == EventKind.COMMENTED) & is_there & has_user)
    is_vote = np.isin(kind, (EventKind.UP, EventKind.DOWN)) | ((kind == EventKind.ACCEPTED) & ~of_question)
    votes = np.flatnonzero(is_vote & is_there & has_user[head])
    known_at = np.where(has_time, (time // _DAY + 1) * _DAY, UNDATED)[votes]
    first = starts_of_runs(post[votes], kind[votes], known_at) == np.arange(len(votes))
    voted = votes[first]
    numbers = np.diff(np.append(np.flatnonzero(first), len(votes)))

    dated = np.where(has_time, time, UNDATED)
    none = np.zeros(len(post), dtype=np.int64)
    parts = [
        (EventKind.ASKED, asked, user, dated[asked]),
        (EventKind.ANSWERED, written, user, dated[written]),
        (EventKind.CHOSEN, chosen, user, np.full(len(chosen), UNDATED)),
        (EventKind.COMMENTED, said, user, dated[said]),
    ]
    columns = {
        "author": [who[places] for _, places, who, _ in parts] + [user[head[voted]]],
        "thread": [thread[places] if of is EventKind.ANSWERED else thread[head[places]] for of, places, _, _ in parts]
        + [thread[head[voted]]],
        "time": [times for _, _, _, times in parts] + [known_at[first]],
        "kind": [np.full(len(places), of) for of, places, _, _ in parts] + [kind[voted]],
        "count": [np.ones(len(places), dtype=np.int64) for _, places, _, _ in parts] + [numbers],
    }
    for name, of_post in marked.items():
        noted = {EventKind.ANSWERED: of_post, EventKind.CHOSEN: of_post}
        accepted = np.where(kind[voted] == EventKind.ACCEPTED, TO_BE_FOUND, 0)
        columns[name] = [noted.get(of, none)[places] for of, places, _, _ in parts] + [accepted]
    events = {name: np.concatenate(pieces).astype(np.int64, copy=False) for name, pieces in columns.items()}
    kept = np.isin(events["kind"], list(wanted))
    return pa.table({name: pa.array(column[kept]) for name, column in events.items()})


def _of_questions(rows: pa.Table, questions: Longs, mark: Mark) -> Longs:
    noted = np.zeros(rows.num_rows, dtype=np.int64)
    noted[questions] = mark(rows.select(["site", "tags"]).take(pa.array(questions)))
    return noted


def _longs(rows: pa.Table, name: str) -> tuple[Longs, Mask]:
    """A column of integers, with 0 for nulls, and the mask of values that are not null."""
    column = rows.column(name)
    return column.fill_null(0).to_numpy().astype(np.int64, copy=False), column.is_valid().to_numpy()


def _flags(rows: pa.Table, name: str) -> Mask:
    return rows.column(name).fill_null(False).to_numpy()


def with_own(rows: pa.Table, tag_marks: Sequence[str]) -> pa.Table:
    """Add each moment's contributions in its own thread, and copy the tag marks of answers to acceptances.

    Args:
        rows: all rows of authors in threads, in order of ``author``, ``thread``, ``time`` and ``kind``.
        tag_marks: columns with the groups' marks of question tags. All answers of a thread have the same marks, which
            are copied to its acceptances and moments.

    Returns:
        The rows with ``own``: a list with the sums of the ``CONTRIBUTIONS`` up to a moment; null for events.
    """
    author, thread, kind, count = (rows.column(name).to_numpy() for name in ("author", "thread", "kind", "count"))
    starts = starts_of_runs(author, thread)
    moments = np.flatnonzero(kind == EventKind.MOMENT)
    rows_of = np.flatnonzero(np.isin(kind, CONTRIBUTIONS))
    adds = count[rows_of, None] * (kind[rows_of, None] == np.array(CONTRIBUTIONS))
    own = sums_before(moments, starts[moments], rows_of, adds)
    for name in tag_marks:
        marks = _of_answers(rows.column(name).to_numpy(), kind, starts)
        rows = rows.set_column(rows.schema.get_field_index(name), name, pa.array(marks))
    return rows.append_column("own", _lists(own, moments, len(kind)))


def _of_answers(marks: Longs, kind: Longs, starts: Longs) -> Longs:
    """Copy the marks of answers to the acceptances and moments of the same thread."""
    first, run = np.unique(starts, return_inverse=True)
    noted = np.maximum.reduceat(np.where(kind == EventKind.ANSWERED, marks, 0), first)[run]
    return np.where(((kind == EventKind.ACCEPTED) & (marks != 0)) | (kind == EventKind.MOMENT), noted, marks)


def _lists(values: Longs, places: Longs, length: int) -> pa.ListArray:
    """Rows of values as lists at the given indices; null elsewhere."""
    sizes = np.zeros(length + 1, dtype=np.int32)
    sizes[places + 1] = values.shape[1]
    missing = np.ones(length, dtype=np.bool_)
    missing[places] = False
    return pa.ListArray.from_arrays(
        pa.array(np.cumsum(sizes, dtype=np.int32)), pa.array(values.reshape(-1)), mask=pa.array(missing)
    )
