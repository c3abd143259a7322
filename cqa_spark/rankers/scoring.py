"""Scores the candidates of a DataFrame with a model, in one pass over Arrow batches.

Spark rows become ``Candidates``: the features of a row travel as one array, in the column ``VALUES``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.candidates import WORD_COLUMNS, Candidates, as_array, feature_columns
from cqa_spark.spark.frames import whole_groups
from cqa_spark.spark.internals import to_arrow_schema

VALUES = "values"
"""Column with the features of a row, an array of doubles."""

Decide = Callable[[Candidates], tuple[NDArray[np.float64], NDArray[np.bool_]]]
"""The score of each candidate, and whether it is predicted relevant."""


def score_frame(frame: DataFrame, decide: Decide, *, features: Sequence[str], by_query: bool) -> DataFrame:
    """Add ``score`` and ``predicted`` to the columns that are neither features nor words.

    Args:
        frame: candidates with the features and, if the model reads texts, their words.
        decide: scores candidates, and predicts which are relevant.
        features: the model's features, in order.
        by_query: whether ``decide`` needs all candidates of a query in one call.
    """
    words = [name for name in WORD_COLUMNS if name in frame.columns]
    inputs = (*feature_columns(frame), *words)
    example_fields = [field for field in frame.schema.fields if field.name not in inputs]
    rows = with_values(frame, features).select(*[field.name for field in example_fields], *words, VALUES)
    if by_query:
        rows = whole_queries(rows)
    scores = [T.StructField("score", T.DoubleType()), T.StructField("predicted", T.BooleanType())]
    schema = T.StructType([*example_fields, *scores])
    names = tuple(features)

    def score_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for candidates in candidate_batches(batches, names, by_query=by_query):
            decided = [pa.array(values) for values in decide(candidates)]
            columns = [candidates.examples.column(field.name).combine_chunks() for field in example_fields]
            yield pa.RecordBatch.from_arrays([*columns, *decided], schema=arrow_schema)

    return rows.mapInArrow(score_batches, schema)


def with_values(frame: DataFrame, features: Sequence[str]) -> DataFrame:
    """Add the column ``VALUES``, an array of features."""
    return frame.withColumn(VALUES, as_array(features))


def whole_queries(rows: DataFrame) -> DataFrame:
    """Repartition rows by query, sorted by candidate id."""
    return rows.repartition(*QUERY).sortWithinPartitions(*QUERY, "candidate_id")


def candidate_batches(
    batches: Iterable[pa.RecordBatch], features: tuple[str, ...], *, by_query: bool
) -> Iterator[Candidates]:
    """Read candidates from a stream of rows, with the features in the column ``VALUES``.

    Args:
        batches: rows with an array of values in the order of the features.
        features: their names.
        by_query: whether to keep the rows of a query, which are adjacent, in one batch.

    Raises:
        ContractError: a value is not a number.
    """
    tables = whole_groups(batches, *QUERY) if by_query else (pa.Table.from_batches([batch]) for batch in batches)
    for table in tables:
        yield _as_candidates(table, features)


def collect_candidates(frame: DataFrame, features: Sequence[str]) -> Candidates:
    """Collect the candidates of a few queries on the driver, in the order of queries and candidate ids.

    Args:
        frame: candidates with their features.
        features: the features to take.

    Raises:
        ContractError: a value is not a number.
    """
    rows = with_values(frame, features).drop(*feature_columns(frame))
    collected = sorted(rows.collect(), key=lambda row: tuple(row[name] for name in (*QUERY, "candidate_id")))
    table = pa.Table.from_pylist([row.asDict() for row in collected], schema=to_arrow_schema(rows.schema))
    return _as_candidates(table, tuple(features))


def _as_candidates(rows: pa.Table, features: tuple[str, ...]) -> Candidates:
    flat = pc.list_flatten(rows.column(VALUES)).to_numpy()  # row by row; null becomes NaN
    values = flat.reshape(rows.num_rows, len(features))
    bad = np.argwhere(~np.isfinite(values))  # pairs of row and column, in order of the rows
    if len(bad):
        first_row = bad[0, 0]
        names = ", ".join(features[column] for row, column in bad if row == first_row)
        example = rows.slice(first_row, 1).to_pylist()[0]
        raise ContractError(
            f"{names} is not a number for query {example['query_id']}, candidate {example['candidate_id']}",
            "the feature group must declare a value for missing data",
        )
    return Candidates(rows.drop_columns([VALUES]), features, values)


def apply_to(column: str, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Column:
    """Apply a vectorised function to a column of doubles, batch by batch."""
    import pandas as pd

    def apply(scores: pd.Series) -> pd.Series:
        return pd.Series(function(scores.to_numpy()))

    return F.pandas_udf(apply, "double")(F.col(column))  # type: ignore[call-overload]
