"""Computes the features of all author groups in one pass over the events of each author.

Spark groups votes, comments and answers by post, then groups the resulting events by author and sorts them by time,
together with the moments at which examples are evaluated. Python workers compute on Arrow batches per post, per thread
and per author. Within the pass, ids are 64-bit hashes; only the keys of the examples are kept as strings.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.features.arrays import Mask, Reals
from cqa_spark.features.author_batch import CONTRIBUTIONS, AuthorBatch, EventKind
from cqa_spark.features.author_rows import AT_POSTS, account_events, moments, post_rows
from cqa_spark.features.feature_table import KEY, declared_values, pass_type, values_struct
from cqa_spark.features.group import AuthorGroup, Marked
from cqa_spark.features.history.post_events import post_events, with_own
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.spark.whole_groups import whole_groups

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
