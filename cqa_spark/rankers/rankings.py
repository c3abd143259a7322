"""Converts scores to ranks, with the tie-breaking rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.table import Table
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import is_bad
from cqa_spark.rankers.model import RankerModel


def rank(scored: DataFrame, system: str, run_id: str, table: Table = RANKINGS) -> DataFrame:
    """Rank each query's candidates by score descending, then initial_rank, then candidate_id.

    Args:
        scored: columns of the table ``examples``, ``score``, ``predicted`` and, if a night serves rankings, ``served``.
        system: name of the system.
        run_id: id of the run.
        table: ``RANKINGS``, or a table with further columns of the examples.

    Returns:
        Rows of the table. A score that is not a number fails the job when the rows are computed.
    """
    order = (F.col("score").desc(), F.col("initial_rank").asc(), F.col("candidate_id").asc())
    query = Window.partitionBy("site", "task", "query_id").orderBy(*order)
    checked = scored.withColumn("score", _number_or_stop(system))
    ranked = checked.withColumns({"run_id": F.lit(run_id), "system": F.lit(system), "rank": F.row_number().over(query)})
    return table.complete(ranked.select(*[name for name in table.schema.names if name in ranked.columns]))


def best_first(candidates: Candidates, scores: NDArray[np.float64]) -> list[int]:
    """The order in which ``rank`` puts the candidates of one query, as their positions."""
    columns = (candidates.examples.column(name).to_pylist() for name in ("initial_rank", "candidate_id"))
    keys = list(zip((-scores).tolist(), *columns, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _number_or_stop(system: str) -> Column:
    message = F.concat(
        F.lit(f"system {system}: the score is not a number for query "),
        F.col("query_id"),
        F.lit(", candidate "),
        F.col("candidate_id"),
    )
    return F.when(is_bad(F.col("score")), F.raise_error(message)).otherwise(F.col("score"))


def importances(system: str, model: RankerModel) -> list[Entry]:
    """The importance of each feature of a system: entries of the journal table ``feature_importances``."""
    names = [column.name for column in FEATURE_IMPORTANCES.columns]
    return [dict(zip(names, (system, *importance), strict=True)) for importance in model.feature_importances()]
