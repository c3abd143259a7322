"""Computes the features of all author groups in one pass over the events of each author.

Spark groups votes, comments and answers by post, then groups the resulting events by author and sorts them by time,
together with the moments at which examples are evaluated. Python workers compute on Arrow batches per post, per thread
and per author. Within the pass, ids are 64-bit hashes; only the keys of the examples are kept as strings.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP
from cqa_spark.features.arrays import Mask, Reals
from cqa_spark.features.author_batch import (
    ALWAYS,
    CONTRIBUTIONS,
    END,
    UNDATED,
    AuthorBatch,
    EventKind,
    Longs,
    starts_of_runs,
    sums_before,
)
from cqa_spark.features.feature_table import KEY, declared_values, pass_type, values_struct
from cqa_spark.features.group import AuthorGroup, Marked
from cqa_spark.features.inputs import FeatureInputs, known_pairs
from cqa_spark.spark.frames import whole_groups

# Converts rows of posts, comments and votes to events of authors; votes of a day form one event.
#
# Features about other threads exclude the events of an author in the thread of an example.

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
    post, kind, thread = (_event_longs(rows, name)[0] for name in ("post", "kind", "thread"))
    user, has_user = _event_longs(rows, "user")
    answer, has_answer = _event_longs(rows, "answer")
    time, has_time = _event_longs(rows, "time")
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


def _event_longs(rows: pa.Table, name: str) -> tuple[Longs, Mask]:
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


# The rows of each author: the events of the account and its posts, and the moments at which examples are evaluated.

AT_POSTS = frozenset({*CONTRIBUTIONS, EventKind.CHOSEN})
"""Kinds of events that are derived from posts, with their comments and votes."""

_VOTES = {UP: EventKind.UP, DOWN: EventKind.DOWN, ACCEPTED: EventKind.ACCEPTED}


def moments(inputs: FeatureInputs, ends: Sequence[bool]) -> DataFrame:
    """The examples as rows of their authors; those of deleted accounts are spread over artificial authors.

    Args:
        inputs: the tables; labels are not used.
        ends: when examples are evaluated: at the cut (True), at the end of the dump (False), or both.
    """
    pairs = known_pairs(inputs)
    author = F.coalesce(_number("author_id"), F.xxhash64("site", "candidate_id", "query_id"))
    at = {False: F.lit(END), True: F.coalesce(F.unix_micros("cut"), F.lit(END))}
    is_there = F.col("author_id").isNotNull()
    known = {False: is_there, True: is_there & F.col("cut").isNotNull()}
    evaluated = [
        F.struct(
            at[as_of].alias("time"),
            F.struct(*KEY, F.lit(as_of).alias("as_of"), known[as_of].alias("known")).alias("example"),
        )
        for as_of in ends
    ]
    return pairs.select(
        author.alias("author"),
        _number("thread_id").alias("thread"),
        _kind(EventKind.MOMENT),
        F.inline(F.array(*evaluated)),
    )


def account_events(inputs: FeatureInputs, reads: frozenset[EventKind]) -> Iterator[DataFrame]:
    """Registrations, reputations and badges, as rows of their authors.

    Args:
        inputs: the tables.
        reads: kinds of events to include.
    """
    counts = {EventKind.REGISTERED: F.unix_micros("created_at"), EventKind.REPUTATION: F.col("reputation")}
    for kind, count in counts.items():
        if kind in reads:
            yield inputs.needed("users").where(count.isNotNull()).select(
                _number("user_id").alias("author"), F.lit(ALWAYS).alias("time"), _kind(kind),
                count.cast("bigint").alias("count"),
            )  # fmt: skip
    if EventKind.BADGE in reads:
        badges = inputs.needed("badges").where(F.col("user_id").isNotNull())
        yield badges.select(
            _number("user_id").alias("author"),
            F.coalesce(F.unix_micros("earned_at"), F.lit(UNDATED)).alias("time"),
            _kind(EventKind.BADGE),
            F.lit(1).cast("bigint").alias("count"),
            F.col("name").alias("badge"),
        )


def post_rows(inputs: FeatureInputs, reads: frozenset[EventKind], *, tags: bool) -> DataFrame:
    """Posts with their comments and votes, as rows of the post; answers are also rows of their questions.

    Args:
        inputs: the tables.
        reads: kinds of events to derive from the rows.
        tags: whether to include the tags of questions.
    """
    rows = _post_rows(inputs, reads, ["site", "tags"] if tags else [])
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), rows)


def _post_rows(inputs: FeatureInputs, reads: frozenset[EventKind], of_question: Sequence[str]) -> Iterator[DataFrame]:
    posts = inputs.posts.where(F.col("post_type").isin("question", "answer"))
    is_question = F.col("post_type") == "question"
    yield posts.select(
        _number("post_id").alias("post"), F.lit(POST).cast("bigint").alias("kind"), _number("user_id").alias("user"),
        _number("thread_id").alias("thread"), F.unix_micros("created_at").alias("time"),
        is_question.alias("is_question"), _number("accepted_answer_id").alias("answer"),
        *[F.when(is_question, F.col(name)).alias(name) for name in of_question],
    )  # fmt: skip
    if reads & {EventKind.ANSWERED, EventKind.CHOSEN}:
        yield posts.where(~is_question).select(
            _number("thread_id").alias("post"), _kind(EventKind.ANSWERED), _number("user_id").alias("user"),
            _number("thread_id").alias("thread"), F.unix_micros("created_at").alias("time"),
            _number("post_id").alias("answer"),
        )  # fmt: skip
    if EventKind.COMMENTED in reads:
        yield inputs.comments.select(
            _number("post_id").alias("post"), _kind(EventKind.COMMENTED), _number("user_id").alias("user"),
            F.unix_micros("created_at").alias("time"),
        )  # fmt: skip
    wanted = [vote for vote, kind in _VOTES.items() if kind in reads]
    if wanted:
        kind = reduce(lambda found, vote: found.when(F.col("vote_type_id") == vote, _VOTES[vote]), wanted, F)
        yield inputs.needed("votes").where(F.col("vote_type_id").isin(wanted)).select(
            _number("post_id").alias("post"), kind.cast("bigint").alias("kind"),
            F.unix_micros("created_at").alias("time"),
        )  # fmt: skip


def _number(name: str) -> Column:
    """The 64-bit hash of an account or post of a site; null for a null id."""
    return F.when(F.col(name).isNotNull(), F.xxhash64("site", name))


def _kind(kind: EventKind) -> Column:
    return F.lit(int(kind)).cast("bigint").alias("kind")


_PLACE = ("author", "thread", "time", "kind", "count")

Groups = Mapping[str, AuthorGroup]
_Compute = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def compute_authors(groups: Groups, inputs: FeatureInputs) -> DataFrame:
    """The values of all examples.

    Args:
        groups: by name.
        inputs: the tables; labels are not used.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    spark = inputs.examples.sparkSession
    partitions = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    parts = [moments(inputs, _ends(groups)), *_events(groups, inputs, partitions)]
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    noted = _noting(groups, Marked.TAGS)
    filled = rows.fillna(0, subset=["thread", "count", *noted])
    by_thread = filled.repartition(partitions, "author").sortWithinPartitions("author", "thread", "time", "kind")
    in_thread = by_thread.mapInArrow(_within_threads(groups), _history_type(groups))
    in_time = in_thread.sortWithinPartitions("author", "time", "kind")
    values = in_time.mapInArrow(_computing(groups), pass_type(groups))
    return values if len(_ends(groups)) == 1 else _one_row_each(groups, values)


def values_of(groups: Groups, batch: AuthorBatch, known: Mask) -> dict[str, Reals]:
    """The values of a batch's moments.

    Args:
        groups: by name.
        batch: authors and moments.
        known: whether author and time are known, for each moment.

    Returns:
        An array of shape (moments, columns) per group; NaN where a value is unknown.
    """
    return {
        name: np.where(known[:, None], declared_values(group, group.compute(batch), len(known)), np.nan)
        for name, group in groups.items()
    }


def _events(groups: Groups, inputs: FeatureInputs, partitions: int) -> Iterator[DataFrame]:
    reads = frozenset().union(*(group.reads for group in groups.values()))
    if reads & AT_POSTS:
        posts = post_rows(inputs, reads, tags=bool(_noting(groups, Marked.TAGS)))
        together = posts.repartition(partitions, "post").sortWithinPartitions("post", "kind", "time")
        yield together.mapInArrow(_at_each_post(groups, reads), _event_type(groups))
    yield from account_events(inputs, reads)


def _ends(groups: Groups) -> list[bool]:
    """When examples are evaluated: at the cut (True), at the end of the dump (False), or both."""
    return sorted({group.is_as_of for group in groups.values()})


def _noting(groups: Groups, marked: Marked) -> Groups:
    """The groups that mark tags, or badges."""
    return {name: group for name, group in groups.items() if group.marked is marked}


def _longs(names: Iterable[str]) -> list[T.StructField]:
    return [T.StructField(name, T.LongType()) for name in names]


def _event_type(groups: Groups) -> T.StructType:
    return T.StructType(_longs([*_PLACE, *_noting(groups, Marked.TAGS)]))


def _history_type(groups: Groups) -> T.StructType:
    example = [
        *[T.StructField(name, T.StringType()) for name in KEY],
        *[T.StructField(name, T.BooleanType()) for name in ("as_of", "known")],
    ]
    return T.StructType(
        [
            *_longs(["author", "time", "kind", "count", *_marking(groups)]),
            T.StructField("own", T.ArrayType(T.LongType())),
            T.StructField("example", T.StructType(example)),
        ]
    )


def _marking(groups: Groups) -> list[str]:
    return [name for name, group in groups.items() if group.marked is not None]


def _at_each_post(groups: Groups, reads: frozenset[EventKind]) -> _Compute:
    marks = {name: group.mark for name, group in _noting(groups, Marked.TAGS).items()}
    schema = _event_type(groups)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for rows in whole_groups(batches, "post"):
            yield from post_events(rows, marks, reads).cast(arrow_schema).to_batches()

    return compute


def _within_threads(groups: Groups) -> _Compute:
    tags, badges = list(_noting(groups, Marked.TAGS)), _noting(groups, Marked.BADGES)
    schema = _history_type(groups)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for rows in whole_groups(batches, "author", "thread"):
            found = with_own(rows, tags)
            for name, group in badges.items():
                found = found.append_column(name, pa.array(group.mark(rows.select(["badge"]))))
            yield from found.select(arrow_schema.names).cast(arrow_schema).to_batches()

    return compute


def _computing(groups: Groups) -> _Compute:
    schema, marking = pass_type(groups), _marking(groups)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        last: AuthorBatch | None = None
        # On Spark's batches, calls of NumPy and Arrow would take as long as their work.
        for rows in chain.from_iterable(table.to_batches() for table in whole_groups(batches)):
            batch = _author_batch(rows, marking, last)
            examples = pa.RecordBatch.from_struct_array(rows.column("example").take(pa.array(batch.moments)))
            known, as_of = (examples.column(name).to_numpy(zero_copy_only=False) for name in ("known", "as_of"))
            values = values_of(groups, batch, known)
            keys = [examples.column(name) for name in KEY]
            structs = [
                values_struct(values[name], arrow_schema.field(name).type, as_of != group.is_as_of)
                for name, group in groups.items()
            ]
            yield pa.RecordBatch.from_arrays([*keys, *structs], schema=arrow_schema)
            last = batch

    return compute


def _author_batch(rows: pa.RecordBatch, marking: Sequence[str], last: AuthorBatch | None) -> AuthorBatch:
    author, kind, time, count = (rows.column(name).to_numpy() for name in ("author", "kind", "time", "count"))
    own = rows.column("own").flatten().to_numpy().reshape(-1, len(CONTRIBUTIONS))
    goes_on = last is not None and last.author[-1:].tolist() == author[:1].tolist()
    return AuthorBatch(
        author=author,
        kind=kind,
        time=time,
        count=count,
        marks={name: rows.column(name).to_numpy() for name in marking},
        own=dict(zip(CONTRIBUTIONS, own.T, strict=True)),
        before=last.after if last is not None and goes_on else {},
    )


def _one_row_each(groups: Groups, values: DataFrame) -> DataFrame:
    """Merge the values at the cut and at the end of the dump."""
    return values.groupBy(*KEY).agg(*[F.first(name, ignorenulls=True).alias(name) for name in groups])
