"""Converts scores to ranks, with the tie-breaking rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.table import Table
from cqa_spark.lake.writing import TABLE, nullable
from cqa_spark.rankers.candidates import WORD_COLUMNS, Candidates, feature_columns
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.scoring import VALUES, Decide, candidates_of, whole_queries, with_values

_SERVED = "served_system"

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Beside:
    """Rows of another table that follow from the candidates and scores of whole queries.

    Attributes:
        table: the table.
        rows: makes its rows of queries and of the scores of their candidates by system; shape (candidates,).
    """

    table: Table
    rows: Callable[[Candidates, Mapping[str, Scores]], pa.Table]


def rank(
    examples: DataFrame,
    decisions: Mapping[str, Decide],
    run_id: str,
    *,
    table: Table = RANKINGS,
    served: Column | None = None,
    beside: Beside | None = None,
) -> DataFrame:
    """Rank each query's candidates by score descending, then initial_rank, then candidate_id; in one pass.

    Args:
        examples: columns of the table ``examples``, and the features and words that the decisions need.
        decisions: by name of the system.
        run_id: id of the run.
        table: ``RANKINGS``, or a table with further columns of the examples.
        served: the name of the system whose order a night serves; None outside nights.
        beside: what else to make of the scores.

    Returns:
        Rows of the table. A score that is not a number fails the job when the rows are computed. With rows of another
        table, ``TABLE`` names that of a row, and its columns of the other one are null.
    """
    features = feature_columns(examples)
    rows = with_values(examples, features).drop(*features)
    if served is not None:
        rows = rows.withColumn(_SERVED, served)
    given = {field.name: field for field in rows.schema.fields if field.name not in (VALUES, *WORD_COLUMNS)}
    computed = {"run_id", "system", "score", "rank", "predicted", *(["served"] if served is not None else [])}
    schema = T.StructType([field for field in table.schema.fields if field.name in given.keys() | computed])
    if beside is None:
        return table.complete(whole_queries(rows).mapInArrow(_ranking(decisions, run_id, schema, features), schema))
    further = [field for field in beside.table.schema.fields if field.name not in schema.names]
    both = nullable(T.StructType([T.StructField(TABLE, T.StringType()), *schema, *further]))
    return whole_queries(rows).mapInArrow(_ranking(decisions, run_id, both, features, table.name, beside), both)


def rank_scored(scored: DataFrame, system: str, run_id: str) -> DataFrame:
    """Rank candidates that a system has scored.

    Args:
        scored: columns of the table ``examples``, ``score`` and ``predicted``.
        system: name of the system.
        run_id: id of the run.
    """
    return rank(scored, {system: _as_scored}, run_id)


def best_first(candidates: Candidates, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The positions of candidates, whole queries sorted by candidate id, in the order of ``rank``, query by query."""
    query = np.repeat(np.arange(len(candidates.starts)), candidates.sizes)
    return np.lexsort((candidates.examples.column("initial_rank").to_numpy(), -scores, query))


def _ranking(
    decisions: Mapping[str, Decide],
    run_id: str,
    schema: T.StructType,
    features: Sequence[str],
    table: str = "",
    beside: Beside | None = None,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def rank_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        types = to_arrow_schema(schema)
        for candidates in candidates_of(batches, tuple(features), whole=True):
            scored = {}
            within = np.arange(len(candidates)) - np.repeat(candidates.starts, candidates.sizes) + 1
            for system, decide in decisions.items():
                scores, predicted = decide(candidates)
                scored[system] = scores
                _require_numbers(candidates, scores, system)
                ranks = np.empty(len(candidates), dtype=np.int32)
                ranks[best_first(candidates, scores)] = within
                columns = {name: candidates.examples.column(name) for name in candidates.examples.column_names}
                columns |= {"score": pa.array(scores), "rank": pa.array(ranks), "predicted": pa.array(predicted)}
                columns |= {
                    name: pa.repeat(value, len(candidates))
                    for name, value in {"run_id": run_id, "system": system, TABLE: table}.items()
                }
                if _SERVED in columns:
                    columns["served"] = pc.equal(columns[_SERVED], system)
                yield from _rows(columns, types)
            if beside is not None:
                rows = beside.rows(candidates, scored)
                columns = {name: rows[name] for name in rows.column_names}
                yield from _rows(columns | {TABLE: pa.repeat(beside.table.name, len(rows))}, types)

    return rank_batches


def _as_scored(candidates: Candidates) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    score, predicted = (candidates.examples.column(name) for name in ("score", "predicted"))
    return score.to_numpy(), predicted.to_numpy()


def _rows(columns: Mapping[str, pa.ChunkedArray | pa.Array], types: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows of a schema from some of its columns; the others are null."""
    rows = len(next(iter(columns.values())))
    complete = [columns.get(field.name, pa.nulls(rows, field.type)) for field in types]
    yield from pa.table(complete, schema=types).to_batches()


def _require_numbers(candidates: Candidates, scores: NDArray[np.float64], system: str) -> None:
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        row = candidates.examples.slice(bad[0], 1).to_pylist()[0]
        raise ContractError(
            f"system {system}: the score is not a number for query {row['query_id']}, candidate {row['candidate_id']}",
            "the ranker must return a finite score for finite features",
        )


def importances(system: str, model: RankerModel) -> list[Entry]:
    """The importance of each feature of a system: entries of the journal table ``feature_importances``."""
    names = [column.name for column in FEATURE_IMPORTANCES.columns]
    return [dict(zip(names, (system, *importance), strict=True)) for importance in model.feature_importances()]
