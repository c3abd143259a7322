"""Intervals and tests of systems on queries that fit one task, which resamples single queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cqa_spark.evaluation.compare_systems import Compared, compare_systems
from cqa_spark.evaluation.outcomes import count_wins, with_outcomes
from cqa_spark.evaluation.paired_systems import Key, MeasuredGroup, paired
from cqa_spark.evaluation.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd


def summarise_few(
    query_metrics: DataFrame,
    compared: Compared,
    drawn: Resampling,
    groups: Mapping[Key, MeasuredGroup],
    keys: list[str],
    schema: T.StructType,
) -> DataFrame:
    """Every measure of every system over the queries of each group, and the tests of ``compare_systems``.

    The queries of a group are sorted in one task, so the resamples do not depend on the partitions.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of these groups.
        compared: the systems to test.
        drawn: parameters of the resampling.
        groups: the groups, by key.
        keys: columns that identify a group of queries.
        schema: columns of the result.

    Returns:
        A row for each test, and one for each measure of an untested system.
    """
    queries = paired(query_metrics, *{*keys, "site"}, "query_id")
    return queries.groupBy(*keys).applyInPandas(_summarised(groups, compared, drawn, keys), schema)


def _summarised(
    groups: Mapping[Key, MeasuredGroup], compared: Compared, drawn: Resampling, keys: list[str]
) -> Callable[[Key, pd.DataFrame], pd.DataFrame]:
    def summarise_group(key: Key, rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np

        measured, ordered = groups[key], rows.sort_values(["site", "query_id"])
        components = measured.components(np.stack(ordered["components"].to_list()))
        totals = {
            measure: np.array([measure.total(queries.tolist()) for queries in of_systems])
            for measure, of_systems in components.items()
        }
        wins = count_wins(measured.values(np.stack(ordered["values"].to_list())))
        tests = with_outcomes(compare_systems(measured.systems, components, totals, compared, drawn), wins, measured)
        return tests.assign(**dict(zip(keys, key, strict=True)), queries=measured.queries, **drawn._asdict())

    return summarise_group
