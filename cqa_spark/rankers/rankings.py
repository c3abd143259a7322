"""Ranks the candidates of each query: turns scores into rows of ``rankings``, and holds the rule for ties."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.table import Table
from cqa_spark.lake.writing import TABLE, nullable
from cqa_spark.rankers.candidates import WORD_COLUMNS, Candidates, feature_columns
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.scoring import VALUES, Decide, candidate_batches, whole_queries, with_values
from cqa_spark.spark.internals import to_arrow_schema

_SERVED = "served_system"

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class SideOutput:
    """Rows of a second table, made of the candidates and scores of whole queries in the same pass.

    Attributes:
        table: the second table.
        rows: makes its rows from some queries and from their scores by system, each of shape (candidates,).
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
    accepted_first: bool = False,
    side_output: SideOutput | None = None,
) -> DataFrame:
    """Rank each query's candidates by score descending, then initial_rank, then candidate_id; in one pass.

    Args:
        examples: columns of the table ``examples``, and the features and words that the decisions need.
        decisions: by name of the system.
        run_id: id of the run.
        table: ``RANKINGS``, or a table with further columns of the examples.
        served: the name of the system whose order a night serves; None outside nights.
        accepted_first: whether an accepted candidate comes before all others, whatever its score.
        side_output: a second table to compute from the scores.

    Returns:
        Rows of the table. A score that is not a number fails the job when the rows are computed. With a side output,
        rows of both tables: ``TABLE`` names a row's table, and the columns of the other table are null.
    """
    features = feature_columns(examples)
    rows = with_values(examples, features).drop(*features)
    if served is not None:
        rows = rows.withColumn(_SERVED, served)
    available = {"run_id", "system", "score", "rank", "predicted", *rows.columns} - {VALUES, *WORD_COLUMNS}
    if served is not None:
        available.add("served")
    schema = T.StructType([field for field in table.schema.fields if field.name in available])
    if side_output is not None:
        further = [field for field in side_output.table.schema.fields if field.name not in schema.names]
        schema = nullable(T.StructType([T.StructField(TABLE, T.StringType()), *schema, *further]))
    table_name = table.name

    def rank_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        types = to_arrow_schema(schema)
        for candidates in candidate_batches(batches, features, by_query=True):
            inputs = candidates.examples
            input_columns = {name: inputs.column(name) for name in inputs.column_names}
            # 1, 2, … within each query; the candidates of a query are adjacent.
            counting = np.arange(len(candidates)) - np.repeat(candidates.starts, candidates.sizes) + 1
            is_first = inputs.column("accepted").fill_null(False).to_numpy() if accepted_first else None
            scores_by_system = {}
            for system, decide in decisions.items():
                scores, predicted = decide(candidates)
                _require_finite(scores, inputs, system)
                scores_by_system[system] = scores
                # best_first has the index of the best candidate first: that candidate gets rank 1, and so on.
                ranks = np.empty(len(candidates), dtype=np.int32)
                ranks[best_first(candidates, scores, is_first)] = counting
                columns = input_columns | {
                    "score": pa.array(scores),
                    "rank": pa.array(ranks),
                    "predicted": pa.array(predicted),
                    "run_id": pa.repeat(run_id, len(candidates)),
                    "system": pa.repeat(system, len(candidates)),
                    TABLE: pa.repeat(table_name, len(candidates)),
                }
                if _SERVED in columns:
                    columns["served"] = pc.equal(columns[_SERVED], system)
                yield from _complete(columns, len(candidates), types).to_batches()
            if side_output is not None:
                made = side_output.rows(candidates, scores_by_system)
                columns = {name: made.column(name) for name in made.column_names}
                columns[TABLE] = pa.repeat(side_output.table.name, len(made))
                yield from _complete(columns, len(made), types).to_batches()

    ranked = whole_queries(rows).mapInArrow(rank_batches, schema)
    return table.complete(ranked) if side_output is None else ranked


def _complete(columns: Mapping[str, pa.ChunkedArray | pa.Array], rows: int, types: pa.Schema) -> pa.Table:
    """Rows of a schema from some of its columns; the other columns are null."""
    return pa.table([columns.get(field.name, pa.nulls(rows, field.type)) for field in types], schema=types)


def _require_finite(scores: Scores, examples: pa.Table, system: str) -> None:
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        row = examples.slice(bad[0], 1).to_pylist()[0]
        raise ContractError(
            f"system {system}: the score is not a number for query {row['query_id']}, candidate {row['candidate_id']}",
            "the ranker must return a finite score for finite features",
        )


def best_first(candidates: Candidates, scores: Scores, is_first: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Order candidates as ``rank`` does, query by query.

    Args:
        candidates: whole queries, sorted by candidate id.
        scores: shape (candidates,).
        is_first: whether each candidate comes before those of its query that do not; None for none.

    Returns:
        Indices of candidates, shape (candidates,): the first query from best to worst, then the next query.
    """
    query = np.repeat(np.arange(len(candidates.starts)), candidates.sizes)
    # The last key sorts first. The sort is stable, so equal scores and ranks stay in the order of the candidate ids.
    behind = np.zeros(len(query)) if is_first is None else ~is_first
    return np.lexsort((candidates.examples.column("initial_rank").to_numpy(), -scores, behind, query))


def rank_scored(scored: DataFrame, system: str, run_id: str) -> DataFrame:
    """Rank candidates that a system has scored.

    Args:
        scored: columns of the table ``examples``, ``score`` and ``predicted``.
        system: name of the system.
        run_id: id of the run.
    """

    def stored(candidates: Candidates) -> tuple[Scores, NDArray[np.bool_]]:
        examples = candidates.examples
        return examples.column("score").to_numpy(), examples.column("predicted").to_numpy()

    return rank(scored, {system: stored}, run_id)


def importances(system: str, model: RankerModel) -> list[Entry]:
    """The importance of each feature of a system: entries of the journal table ``feature_importances``."""
    names = [column.name for column in FEATURE_IMPORTANCES.columns]
    return [dict(zip(names, (system, *importance), strict=True)) for importance in model.feature_importances()]
