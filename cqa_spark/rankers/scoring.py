"""Scores the candidates of a DataFrame with a model, in one pass of Arrow batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.errors import ContractError
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.candidates import WORD_COLUMNS, Candidates, as_array, feature_columns
from cqa_spark.spark.frames import whole_groups

VALUES = "values"

Decide = Callable[[Candidates], tuple[NDArray[np.float64], NDArray[np.bool_]]]
"""The score of each candidate, and whether it is predicted relevant."""


def score_frame(frame: DataFrame, decide: Decide, *, features: Sequence[str], whole: bool) -> DataFrame:
    """Add ``score`` and ``predicted`` to the columns that are neither features nor words.

    Args:
        frame: candidates with the features and, if the model reads texts, their words.
        decide: scores candidates, and predicts which are relevant.
        features: the model's features, in order.
        whole: whether ``decide`` needs all candidates of a query in one call.
    """
    words = [name for name in WORD_COLUMNS if name in frame.columns]
    inputs = (*feature_columns(frame), *words)
    kept = [field for field in frame.schema.fields if field.name not in inputs]
    rows = with_values(frame, features).select(*[field.name for field in kept], *words, VALUES)
    if whole:
        rows = whole_queries(rows)
    scores = [T.StructField("score", T.DoubleType()), T.StructField("predicted", T.BooleanType())]
    schema = T.StructType([*kept, *scores])
    return rows.mapInArrow(_scoring(decide, schema, tuple(features), whole=whole), schema)


def with_values(frame: DataFrame, features: Sequence[str]) -> DataFrame:
    """Add the column ``values``, an array of features."""
    return frame.withColumn(VALUES, as_array(features))


def whole_queries(rows: DataFrame) -> DataFrame:
    """Repartition rows by query, sorted by candidate id."""
    return rows.repartition(*QUERY).sortWithinPartitions(*QUERY, "candidate_id")


def candidates_of(batches: Iterable[pa.RecordBatch], features: tuple[str, ...], *, whole: bool) -> Iterator[Candidates]:
    """The candidates of a stream of rows, with the features in the column ``values``.

    Args:
        batches: rows with an array of values in the order of the features.
        features: their names.
        whole: whether to keep the rows of a query, which are adjacent, in one batch.

    Raises:
        ContractError: a value is not a number.
    """
    tables = whole_groups(batches, *QUERY) if whole else (pa.Table.from_batches([batch]) for batch in batches)
    for table in tables:
        yield _with_numbers(table, features)


def collect_candidates(frame: DataFrame, features: Sequence[str]) -> Candidates:
    """The candidates of a few queries, in memory on the driver, in the order of queries and candidate ids.

    Args:
        frame: candidates with their features.
        features: the features to take.
    """
    rows = with_values(frame, features).drop(*feature_columns(frame))
    collected = sorted(rows.collect(), key=lambda row: tuple(row[name] for name in (*QUERY, "candidate_id")))
    table = pa.Table.from_pylist([row.asDict() for row in collected], schema=to_arrow_schema(rows.schema))
    return _with_numbers(table, tuple(features))


def _with_numbers(rows: pa.Table, features: tuple[str, ...]) -> Candidates:
    values = pc.list_flatten(rows.column(VALUES)).to_numpy()  # null becomes NaN
    candidates = Candidates(rows.drop_columns([VALUES]), features, values.reshape(rows.num_rows, len(features)))
    bad = np.argwhere(~np.isfinite(candidates.values))
    if len(bad):
        row = rows.slice(bad[0, 0], 1).to_pylist()[0]
        names = ", ".join(features[column] for at, column in bad if at == bad[0, 0])
        raise ContractError(
            f"{names} is not a number for query {row['query_id']}, candidate {row['candidate_id']}",
            "the feature group must declare a value for missing data",
        )
    return candidates


def _scoring(
    decide: Decide, schema: T.StructType, features: tuple[str, ...], *, whole: bool
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def score_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for candidates in candidates_of(batches, features, whole=whole):
            decided = [pa.array(values) for values in decide(candidates)]
            columns = [candidates.examples.column(name).combine_chunks() for name in arrow_schema.names[:-2]]
            yield pa.RecordBatch.from_arrays([*columns, *decided], schema=arrow_schema)

    return score_batches


def apply_to(column: str, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Column:
    """Apply a vectorised function to a column of doubles, batch by batch."""

    def apply(scores: pd.Series) -> pd.Series:
        return pd.Series(function(scores.to_numpy()))

    return F.pandas_udf(apply, "double")(F.col(column))  # type: ignore[call-overload]
