"""Computes the features of all query groups in one pass over the questions.

Spark groups and sorts the examples, posts, comments and analysed texts by question. Python workers read several
questions at a time (``QueryBatch``) and compute every group.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.features.arrays import Reals
from cqa_spark.features.feature_table import KEY, declared_values, pass_type, values_struct
from cqa_spark.features.folds import NO_FOLD
from cqa_spark.features.group import QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_rows import PARTS, QUESTION, query_rows
from cqa_spark.features.training_data import Fitted
from cqa_spark.spark.whole_groups import whole_groups

EXAMPLES_AT_A_TIME = 1_000
"""Number of examples in a batch; a question with more examples is a batch of its own."""


def compute_queries(groups: Mapping[str, Fitted[QueryGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples.

    Args:
        groups: by name. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting; 0 if no example belongs to the training data.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    rows = query_rows({name: group.on_all for name, group in groups.items()}, inputs, folds)
    partitions = int(str(rows.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    together = rows.repartition(partitions, *QUESTION).sortWithinPartitions(*QUESTION, "part")
    schema = pass_type({name: group.on_all for name, group in groups.items()})
    return together.mapInArrow(_computing(groups, schema), schema)


def values_of(groups: Mapping[str, Fitted[QueryGroup]], batch: QueryBatch) -> dict[str, Reals]:
    """The values of a batch's examples.

    Args:
        groups: by name, as for ``compute_queries``.
        batch: a batch whose examples have a column ``fold``: from 0 for training examples, -1 for others.

    Returns:
        An array of shape (examples, columns) per group; NaN where a value is unknown.
    """
    fold = batch.examples.column("fold").to_numpy()
    return {name: _group_values(fitted, batch, fold) for name, fitted in groups.items()}


def _group_values(fitted: Fitted[QueryGroup], batch: QueryBatch, fold: NDArray[np.int64]) -> Reals:
    if not fitted.on_rests:
        return _values(fitted.on_all, batch)
    values = np.full((len(batch), len(fitted.on_all.columns)), np.nan)
    for number in np.unique(fold).tolist():
        chosen = fold == number
        group = fitted.on_all if number == NO_FOLD else fitted.on_rests[number]
        values[chosen] = _values(group, batch if chosen.all() else batch.keep(chosen))
    return values


def _values(group: QueryGroup, batch: QueryBatch) -> Reals:
    return declared_values(group, group.compute(batch), len(batch))


def _computing(
    groups: Mapping[str, Fitted[QueryGroup]], schema: T.StructType
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for rows in whole_groups(batches, *QUESTION, at_a_time=EXAMPLES_AT_A_TIME, size=_examples_of):
            batch = _query_batch(rows)
            values = values_of(groups, batch)
            keys = [batch.examples.column(name).combine_chunks() for name in KEY]
            structs = [values_struct(values[name], arrow_schema.field(name).type) for name in groups]
            yield pa.RecordBatch.from_arrays([*keys, *structs], schema=arrow_schema)

    return compute


def _examples_of(rows: pa.RecordBatch) -> int:
    return pc.sum(pc.equal(rows.column("part"), PARTS.index("examples"))).as_py() or 0


def _query_batch(rows: pa.Table) -> QueryBatch:
    tables = {name: _table(rows, name) for name in PARTS if name in rows.column_names}
    return QueryBatch(
        examples=tables["examples"].sort_by([(name, "ascending") for name in KEY]),
        posts=tables["posts"],
        said=tables["said"].append_column("document_id", _documents_of(rows, "said")),
        documents=tables["documents"],
        analysed=_first_of_each(tables["analysed"], "text_id"),
        scores=tables.get("scores", pa.table({})),
        votes=tables.get("votes", pa.table({})),
        retrieved=tables.get("retrieved", pa.table({})),
        links=tables.get("links", pa.table({})),
    )


def _table(rows: pa.Table, name: str) -> pa.Table:
    """The fields of the struct of this name, with the question, for rows where it is not null."""
    found = rows.filter(pc.is_valid(rows.column(name))).combine_chunks()
    column = found.column(name)
    empty = pa.array([], column.type)
    structs = pa.Table.from_struct_array(column if column.num_chunks else empty)
    absent = [key for key in QUESTION if key not in structs.column_names]
    return reduce(lambda table, key: table.append_column(key, found.column(key)), absent, structs)


def _documents_of(rows: pa.Table, name: str) -> pa.ChunkedArray:
    found = rows.filter(pc.is_valid(rows.column(name)))
    return pc.struct_field(found.column("documents"), "document_id")


def _first_of_each(rows: pa.Table, key: str) -> pa.Table:
    ids = rows.column(key).to_pylist()
    first = {text_id: place for place, text_id in reversed(list(enumerate(ids)))}
    return rows.take(pa.array(sorted(first.values()), pa.int64()))
