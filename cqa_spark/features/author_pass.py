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
from cqa_spark.spark.internals import to_arrow_schema

AT_POSTS = frozenset({*CONTRIBUTIONS, EventKind.CHOSEN})
"""Kinds of events that are derived from posts, with their comments and votes."""

POST = 0
"""The kind of the post's own row; other rows of a post have the ``EventKind`` of their event."""

TO_BE_FOUND = -1
"""Placeholder mark of acceptances, which have no question beside them; ``with_own`` copies the answer's marks."""

_DAY = 86_400_000_000
_VOTES = {UP: EventKind.UP, DOWN: EventKind.DOWN, ACCEPTED: EventKind.ACCEPTED}

Groups = Mapping[str, AuthorGroup]

Mark = Callable[[pa.Table], Longs]
"""A group's function from the columns ``site`` and ``tags`` of questions to marks."""


def compute_authors(groups: Groups, inputs: FeatureInputs) -> DataFrame:
    """The values of all examples.

    Args:
        groups: by name.
        inputs: the tables; labels are not used.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    reads = frozenset().union(*(group.reads for group in groups.values()))
    tag_marks = {name: group.mark for name, group in groups.items() if group.marked is Marked.TAGS}
    badge_marks = {name: group.mark for name, group in groups.items() if group.marked is Marked.BADGES}
    # Examples are evaluated at the cut (True), at the end of the dump (False), or both.
    ends = sorted({group.is_as_of for group in groups.values()})
    partitions = int(str(inputs.examples.sparkSession.conf.get("spark.sql.shuffle.partitions")))

    rows = moments(inputs, ends)
    if reads & AT_POSTS:
        by_post = post_rows(inputs, reads, tags=bool(tag_marks)).repartition(partitions, "post")
        in_order = by_post.sortWithinPartitions("post", "kind", "time")
        rows = rows.unionByName(_events_at_posts(in_order, tag_marks, reads), allowMissingColumns=True)
    for events in account_events(inputs, reads):
        rows = rows.unionByName(events, allowMissingColumns=True)
    by_author = rows.fillna(0, subset=["thread", "count", *tag_marks]).repartition(partitions, "author")
    by_thread = by_author.sortWithinPartitions("author", "thread", "time", "kind")
    marked = [name for name, group in groups.items() if group.marked is not None]
    history = _history(by_thread, tag_marks, badge_marks, marked)
    values = _values_at_moments(history.sortWithinPartitions("author", "time", "kind"), groups, marked)
    if len(ends) == 1:
        return values
    # An example has a row at its cut and one at the end of the dump; each group is null in one of them.
    return values.groupBy(*KEY).agg(*[F.first(name, ignorenulls=True).alias(name) for name in groups])


def _longs(names: Iterable[str]) -> list[T.StructField]:
    return [T.StructField(name, T.LongType()) for name in names]


def _events_at_posts(rows: DataFrame, tag_marks: Mapping[str, Mark], reads: frozenset[EventKind]) -> DataFrame:
    """The events at posts: author, thread, time, kind, count, and the marks of question tags."""
    schema = T.StructType(_longs(["author", "thread", "time", "kind", "count", *tag_marks]))

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for posts in whole_groups(batches, "post"):
            yield from post_events(posts, tag_marks, reads).cast(arrow_schema).to_batches()

    return rows.mapInArrow(compute, schema)


def _history(
    rows: DataFrame, tag_marks: Collection[str], badge_marks: Mapping[str, Mark], marked: Sequence[str]
) -> DataFrame:
    """The rows of each author with all marks and, at moments, the contributions in the example's own thread."""
    example = [
        *(T.StructField(name, T.StringType()) for name in KEY),
        *(T.StructField(name, T.BooleanType()) for name in ("as_of", "known")),
    ]
    schema = T.StructType(
        [
            *_longs(["author", "time", "kind", "count", *marked]),
            T.StructField("own", T.ArrayType(T.LongType())),
            T.StructField("example", T.StructType(example)),
        ]
    )
    tags = list(tag_marks)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for threads in whole_groups(batches, "author", "thread"):
            history = with_own(threads, tags)
            for name, mark in badge_marks.items():
                history = history.append_column(name, pa.array(mark(threads.select(["badge"]))))
            yield from history.select(arrow_schema.names).cast(arrow_schema).to_batches()

    return rows.mapInArrow(compute, schema)


def _values_at_moments(history: DataFrame, groups: Groups, marked: Sequence[str]) -> DataFrame:
    """The values of each moment; a group is null at moments of the other kind (the cut, the end of the dump)."""
    schema = pass_type(groups)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        last: AuthorBatch | None = None
        # On Spark's batches, calls of NumPy and Arrow would take as long as their work.
        for rows in chain.from_iterable(table.to_batches() for table in whole_groups(batches)):
            author, kind, time, count = (rows.column(name).to_numpy() for name in ("author", "kind", "time", "count"))
            # Lists at moments, null elsewhere: flattened, one row per moment and one column per kind.
            own = rows.column("own").flatten().to_numpy().reshape(-1, len(CONTRIBUTIONS))
            continues = last is not None and last.author[-1:].tolist() == author[:1].tolist()
            batch = AuthorBatch(
                author=author,
                kind=kind,
                time=time,
                count=count,
                marks={name: rows.column(name).to_numpy() for name in marked},
                own=dict(zip(CONTRIBUTIONS, own.T, strict=True)),
                before=last.after if last is not None and continues else {},
            )
            examples = pa.RecordBatch.from_struct_array(rows.column("example").take(pa.array(batch.moments)))
            known, as_of = (examples.column(name).to_numpy(zero_copy_only=False) for name in ("known", "as_of"))
            values = values_of(groups, batch, known)
            structs = [
                values_struct(values[name], arrow_schema.field(name).type, as_of != group.is_as_of)
                for name, group in groups.items()
            ]
            keys = [examples.column(name) for name in KEY]
            yield pa.RecordBatch.from_arrays([*keys, *structs], schema=arrow_schema)
            last = batch

    return history.mapInArrow(compute, schema)


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


# The rows that Spark makes from the tables.


def moments(inputs: FeatureInputs, ends: Sequence[bool]) -> DataFrame:
    """The examples as rows of their authors; examples of deleted accounts are spread over artificial authors.

    Args:
        inputs: the tables; labels are not used.
        ends: when examples are evaluated: at the cut (True), at the end of the dump (False), or both.
    """
    author = F.coalesce(_number("author_id"), F.xxhash64("site", "candidate_id", "query_id"))
    time = {False: F.lit(END), True: F.coalesce(F.unix_micros("cut"), F.lit(END))}
    has_author = F.col("author_id").isNotNull()
    is_known = {False: has_author, True: has_author & F.col("cut").isNotNull()}
    evaluated = [
        F.struct(
            time[as_of].alias("time"),
            F.struct(*KEY, F.lit(as_of).alias("as_of"), is_known[as_of].alias("known")).alias("example"),
        )
        for as_of in ends
    ]
    return known_pairs(inputs).select(
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
    posts = inputs.posts.where(F.col("post_type").isin("question", "answer"))
    is_question = F.col("post_type") == "question"
    time = F.unix_micros("created_at").alias("time")
    tag_columns = ["site", "tags"] if tags else []
    parts = [
        posts.select(
            _number("post_id").alias("post"), F.lit(POST).cast("bigint").alias("kind"),
            _number("user_id").alias("user"), _number("thread_id").alias("thread"), time,
            is_question.alias("is_question"), _number("accepted_answer_id").alias("answer"),
            *[F.when(is_question, F.col(name)).alias(name) for name in tag_columns],
        )
    ]  # fmt: skip
    if reads & {EventKind.ANSWERED, EventKind.CHOSEN}:
        answers = posts.where(~is_question).select(
            _number("thread_id").alias("post"), _kind(EventKind.ANSWERED), _number("user_id").alias("user"),
            _number("thread_id").alias("thread"), time, _number("post_id").alias("answer"),
        )  # fmt: skip
        parts.append(answers)
    if EventKind.COMMENTED in reads:
        comments = inputs.comments.select(
            _number("post_id").alias("post"), _kind(EventKind.COMMENTED), _number("user_id").alias("user"), time
        )
        parts.append(comments)
    vote_types = [vote_type for vote_type, kind in _VOTES.items() if kind in reads]
    if vote_types:
        vote_type = F.col("vote_type_id")
        kind = F.when(vote_type == UP, int(_VOTES[UP])).when(vote_type == DOWN, int(_VOTES[DOWN]))
        votes = inputs.needed("votes").where(vote_type.isin(vote_types))
        parts.append(
            votes.select(
                _number("post_id").alias("post"),
                kind.otherwise(int(_VOTES[ACCEPTED])).cast("bigint").alias("kind"),
                time,
            )
        )
    return reduce(lambda rows, part: rows.unionByName(part, allowMissingColumns=True), parts)


def _number(name: str) -> Column:
    """The 64-bit hash of an account or post of a site; null for a null id."""
    return F.when(F.col(name).isNotNull(), F.xxhash64("site", name))


def _kind(kind: EventKind) -> Column:
    return F.lit(int(kind)).cast("bigint").alias("kind")


# What the workers compute on rows of whole posts, and of whole threads of an author.


def post_events(rows: pa.Table, marks: Mapping[str, Mark], wanted: Collection[EventKind]) -> pa.Table:
    """The events of some posts; votes for a post on one day are one event.

    Args:
        rows: all rows of some posts, in order of ``post``, ``kind`` and ``time``: the post itself, its answers,
            comments and votes. ``user`` is the author of the row's post or comment (null if deleted); ``answer`` is the
            number of an answer, or of a question's accepted answer; ``thread``, ``is_question``, ``site`` and ``tags``
            are columns of the post's own row and of answers. Times are in microseconds since 1970, null where unknown.
        marks: the functions that compute marks, by column of the result.
        wanted: kinds of events.

    Returns:
        author, thread, time, kind, count, and the marks; in no order.
    """
    # Arrays of shape (rows,); integers are 0 where null.
    integers = ("post", "kind", "thread", "user", "answer", "time")
    post, kind, thread, user, answer, time = (
        rows.column(name).fill_null(0).to_numpy().astype(np.int64, copy=False) for name in integers
    )
    has_user, has_answer, has_time = (rows.column(name).is_valid().to_numpy() for name in ("user", "answer", "time"))
    # The index of the first row of the row's post. It is the post itself, unless the dump lacks it.
    head = starts_of_runs(post)
    has_post = kind[head] == POST
    is_question = (kind == POST) & rows.column("is_question").fill_null(False).to_numpy()
    at_question = is_question[head]
    # The marks of the question, for each row of a question; 0 for rows of answers.
    questions = np.flatnonzero(is_question)
    tags_of_questions = rows.select(["site", "tags"]).take(pa.array(questions)) if marks else None
    marks_at_post = {}
    for name, mark in marks.items():
        of_questions = np.zeros(len(post), dtype=np.int64)
        of_questions[questions] = mark(tags_of_questions)
        marks_at_post[name] = of_questions[head]

    # Indices of the rows that are events of a kind.
    asked = np.flatnonzero(is_question & has_user)
    answered = np.flatnonzero((kind == EventKind.ANSWERED) & has_user)
    is_chosen = at_question & has_answer[head] & (answer == answer[head])
    chosen = answered[is_chosen[answered]]
    commented = np.flatnonzero((kind == EventKind.COMMENTED) & has_post & has_user)
    # A vote is an event of the post's author, and known at the end of its day. Only answers are accepted.
    is_vote = np.isin(kind, (EventKind.UP, EventKind.DOWN)) | ((kind == EventKind.ACCEPTED) & ~at_question)
    votes = np.flatnonzero(is_vote & has_post & has_user[head])
    known_at = np.where(has_time, (time // _DAY + 1) * _DAY, UNDATED)
    # Votes for a post of one kind and day are adjacent; the first of them stands for all, with their number.
    is_first = starts_of_runs(post[votes], kind[votes], known_at[votes]) == np.arange(len(votes))
    voted = votes[is_first]
    vote_counts = np.diff(np.append(np.flatnonzero(is_first), len(votes)))

    def own_events(of_kind: EventKind, of_rows: Longs, threads: Longs, *, is_dated: bool = True) -> dict[str, Longs]:
        """Events of the authors of rows; answers have the marks of their question."""
        is_answer = of_kind in (EventKind.ANSWERED, EventKind.CHOSEN)
        return {
            "author": user[of_rows],
            "thread": threads,
            "time": np.where(has_time[of_rows] & is_dated, time[of_rows], UNDATED),
            "kind": np.full(len(of_rows), of_kind),
            "count": np.ones(len(of_rows), dtype=np.int64),
            **{name: at_post[of_rows] * is_answer for name, at_post in marks_at_post.items()},
        }

    is_acceptance = kind[voted] == EventKind.ACCEPTED
    parts = [
        own_events(EventKind.ASKED, asked, thread[asked]),
        # An answer counts in its thread even if the dump lacks the question, whose row would have it, too.
        own_events(EventKind.ANSWERED, answered, thread[answered]),
        own_events(EventKind.CHOSEN, chosen, thread[head[chosen]], is_dated=False),
        own_events(EventKind.COMMENTED, commented, thread[head[commented]]),
        {
            "author": user[head[voted]],
            "thread": thread[head[voted]],
            "time": known_at[voted],
            "kind": kind[voted],
            "count": vote_counts,
            **{name: np.where(is_acceptance, TO_BE_FOUND, 0) for name in marks},
        },
    ]
    events = {name: np.concatenate([part[name] for part in parts]).astype(np.int64, copy=False) for name in parts[0]}
    is_wanted = np.isin(events["kind"], list(wanted))
    return pa.table({name: pa.array(column[is_wanted]) for name, column in events.items()})


def with_own(rows: pa.Table, tag_marks: Sequence[str]) -> pa.Table:
    """Add each moment's contributions in its own thread, and copy the tag marks of answers to acceptances.

    Features about other threads subtract an author's contributions in the thread of the example.

    Args:
        rows: all rows of authors in threads, in order of ``author``, ``thread``, ``time`` and ``kind``.
        tag_marks: columns with the groups' marks of question tags. All answers of a thread have the same marks, which
            are copied to its acceptances and moments.

    Returns:
        The rows with ``own``: a list with the sums of the ``CONTRIBUTIONS`` up to a moment; null for events.
    """
    author, thread, kind, count = (rows.column(name).to_numpy() for name in ("author", "thread", "kind", "count"))
    # The index of the first row of the author's thread, for each row.
    starts = starts_of_runs(author, thread)
    is_moment = kind == EventKind.MOMENT
    moment_rows = np.flatnonzero(is_moment)
    contributions = np.flatnonzero(np.isin(kind, CONTRIBUTIONS))
    # One column per kind of contribution: the row's count in that of its kind, 0 in the others.
    adds = count[contributions, None] * (kind[contributions, None] == np.array(CONTRIBUTIONS))
    own = sums_before(moment_rows, starts[moment_rows], contributions, adds)

    first_rows, thread_number = np.unique(starts, return_inverse=True)
    for name in tag_marks:
        marks = rows.column(name).to_numpy()
        answer_marks = np.where(kind == EventKind.ANSWERED, marks, 0)
        of_thread = np.maximum.reduceat(answer_marks, first_rows)[thread_number]
        is_copied = is_moment | ((kind == EventKind.ACCEPTED) & (marks != 0))
        marks = np.where(is_copied, of_thread, marks)
        rows = rows.set_column(rows.schema.get_field_index(name), name, pa.array(marks))

    # Offsets grow by one list at moments only; nulls need a mask beside their empty lists.
    sizes = np.zeros(len(kind) + 1, dtype=np.int32)
    sizes[moment_rows + 1] = len(CONTRIBUTIONS)
    offsets = pa.array(np.cumsum(sizes, dtype=np.int32))
    lists = pa.ListArray.from_arrays(offsets, pa.array(own.reshape(-1)), mask=pa.array(~is_moment))
    return rows.append_column("own", lists)
