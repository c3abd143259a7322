"""Computes the features of all author groups in one pass over the events of each author.

Spark groups votes, comments and answers by post, then groups the resulting events by author and sorts them by time,
together with the moments at which examples are evaluated. Python workers compute on Arrow batches per post, per thread
and per author. Within the pass, ids are 64-bit hashes; only the keys of the examples are kept as strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.votes import ACCEPTED, DOWN, UP
from cqa_spark.features.author_batch import ALWAYS, CONTRIBUTIONS, END, UNDATED, AuthorBatch, Kind
from cqa_spark.features.declared_values import declared_values
from cqa_spark.features.feature_table import KEY, values_type
from cqa_spark.features.group import AuthorGroup, Marked
from cqa_spark.features.history.concerned import concerned
from cqa_spark.features.history.own_threads import with_own
from cqa_spark.features.history.pairs import known_pairs
from cqa_spark.features.history.post_events import POST, post_events
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.spark.whole_groups import whole_groups

_AT_POSTS = frozenset({*CONTRIBUTIONS, Kind.CHOSEN})
_VOTES = {UP: Kind.UP, DOWN: Kind.DOWN, ACCEPTED: Kind.ACCEPTED}
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
    read = concerned(inputs)
    parts = [_moments(groups, inputs), *_events(groups, read, partitions)]
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    noted = _noting(groups, Marked.TAGS)
    filled = rows.fillna(0, subset=["thread", "count", *noted])
    by_thread = filled.repartition(partitions, "author").sortWithinPartitions("author", "thread", "time", "kind")
    in_thread = by_thread.mapInArrow(_within_threads(groups), _history_type(groups))
    in_time = in_thread.sortWithinPartitions("author", "time", "kind")
    values = in_time.mapInArrow(_computing(groups), _values_type(groups))
    return values if len(_ends(groups)) == 1 else _one_row_each(groups, values)


def values_of(groups: Groups, batch: AuthorBatch, known: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
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


def _moments(groups: Groups, inputs: FeatureInputs) -> DataFrame:
    """The examples as rows of their authors; those of deleted accounts are spread over artificial authors."""
    pairs = known_pairs(inputs)
    author = F.coalesce(_number("author_id"), F.xxhash64("site", "candidate_id", "query_id"))
    at = {False: F.lit(END), True: F.coalesce(F.unix_micros("cut"), F.lit(END))}
    is_there = F.col("author_id").isNotNull()
    known = {False: is_there, True: is_there & F.col("cut").isNotNull()}
    ends = [
        F.struct(
            at[as_of].alias("time"),
            F.struct(*KEY, F.lit(as_of).alias("as_of"), known[as_of].alias("known")).alias("example"),
        )
        for as_of in _ends(groups)
    ]
    return pairs.select(
        author.alias("author"), _number("thread_id").alias("thread"), _kind(Kind.MOMENT), F.inline(F.array(*ends))
    )


def _events(groups: Groups, inputs: FeatureInputs, partitions: int) -> Iterator[DataFrame]:
    reads = frozenset().union(*(group.reads for group in groups.values()))
    if reads & _AT_POSTS:
        posts = reduce(
            lambda one, other: one.unionByName(other, allowMissingColumns=True), _at_posts(groups, reads, inputs)
        )
        together = posts.repartition(partitions, "post").sortWithinPartitions("post", "kind", "time")
        yield together.mapInArrow(_at_each_post(groups, reads), _event_type(groups))
    if Kind.REGISTERED in reads:
        users = inputs.needed("users").where(F.col("created_at").isNotNull())
        yield _of_account(users, Kind.REGISTERED, F.unix_micros("created_at"))
    if Kind.REPUTATION in reads:
        users = inputs.needed("users").where(F.col("reputation").isNotNull())
        yield _of_account(users, Kind.REPUTATION, F.col("reputation"))
    if Kind.BADGE in reads:
        badges = inputs.needed("badges").where(F.col("user_id").isNotNull())
        yield badges.select(
            _number("user_id").alias("author"),
            F.coalesce(F.unix_micros("earned_at"), F.lit(UNDATED)).alias("time"),
            _kind(Kind.BADGE),
            F.lit(1).cast("bigint").alias("count"),
            F.col("name").alias("badge"),
        )


def _at_posts(groups: Groups, reads: frozenset[Kind], inputs: FeatureInputs) -> Iterator[DataFrame]:
    """Questions and answers with their comments and votes; answers also appear at their questions."""
    posts = inputs.posts.where(F.col("post_type").isin("question", "answer"))
    is_question = F.col("post_type") == "question"
    of_question = ["site", "tags"] if _noting(groups, Marked.TAGS) else []
    yield posts.select(
        _number("post_id").alias("post"), F.lit(POST).cast("bigint").alias("kind"), _number("user_id").alias("user"),
        _number("thread_id").alias("thread"), F.unix_micros("created_at").alias("time"),
        is_question.alias("is_question"), _number("accepted_answer_id").alias("answer"),
        *[F.when(is_question, F.col(name)).alias(name) for name in of_question],
    )  # fmt: skip
    if reads & {Kind.ANSWERED, Kind.CHOSEN}:
        yield posts.where(~is_question).select(
            _number("thread_id").alias("post"), _kind(Kind.ANSWERED), _number("user_id").alias("user"),
            _number("thread_id").alias("thread"), F.unix_micros("created_at").alias("time"),
            _number("post_id").alias("answer"),
        )  # fmt: skip
    if Kind.COMMENTED in reads:
        yield inputs.comments.select(
            _number("post_id").alias("post"), _kind(Kind.COMMENTED), _number("user_id").alias("user"),
            F.unix_micros("created_at").alias("time"),
        )  # fmt: skip
    wanted = [vote for vote, kind in _VOTES.items() if kind in reads]
    if wanted:
        kind = reduce(lambda found, vote: found.when(F.col("vote_type_id") == vote, _VOTES[vote]), wanted, F)
        yield inputs.needed("votes").where(F.col("vote_type_id").isin(wanted)).select(
            _number("post_id").alias("post"), kind.cast("bigint").alias("kind"),
            F.unix_micros("created_at").alias("time"),
        )  # fmt: skip


def _of_account(users: DataFrame, kind: Kind, count: Column) -> DataFrame:
    return users.select(
        _number("user_id").alias("author"), F.lit(ALWAYS).alias("time"), _kind(kind),
        count.cast("bigint").alias("count"),
    )  # fmt: skip


def _number(name: str) -> Column:
    """The 64-bit hash of an account or post of a site; null for a null id."""
    return F.when(F.col(name).isNotNull(), F.xxhash64("site", name))


def _kind(kind: Kind) -> Column:
    return F.lit(int(kind)).cast("bigint").alias("kind")


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


def _values_type(groups: Groups) -> T.StructType:
    keys = [T.StructField(name, T.StringType(), False) for name in KEY]
    return T.StructType([*keys, *[T.StructField(name, values_type(type(group))) for name, group in groups.items()]])


def _at_each_post(groups: Groups, reads: frozenset[Kind]) -> _Compute:
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
    schema, marking = _values_type(groups), _marking(groups)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        last: AuthorBatch | None = None
        for rows in batches:
            batch = _author_batch(rows, marking, last)
            examples = pa.RecordBatch.from_struct_array(rows.column("example").take(pa.array(batch.moments)))
            known, as_of = (examples.column(name).to_numpy(zero_copy_only=False) for name in ("known", "as_of"))
            values = values_of(groups, batch, known)
            keys = [examples.column(name) for name in KEY]
            structs = [
                _struct(values[name], as_of != group.is_as_of, arrow_schema.field(name).type)
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


def _struct(values: NDArray[np.float64], other: NDArray[np.bool_], of_group: pa.StructType) -> pa.StructArray:
    columns = [pa.array(column, pa.float64(), from_pandas=True) for column in values.T]
    return pa.StructArray.from_arrays(columns, fields=list(of_group), mask=pa.array(other))


def _one_row_each(groups: Groups, values: DataFrame) -> DataFrame:
    """Merge the values at the cut and at the end of the dump."""
    return values.groupBy(*KEY).agg(*[F.first(name, ignorenulls=True).alias(name) for name in groups])
