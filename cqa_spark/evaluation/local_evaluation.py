"""Intervals and tests of systems on queries that fit one task, which resamples single topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from cqa_spark.evaluation.compare_systems import compare_systems, count_wins
from cqa_spark.evaluation.group_summary import GroupSummary
from cqa_spark.evaluation.paired_systems import Key, MeasuredGroup, paired
from cqa_spark.evaluation.resampling import in_groups

if TYPE_CHECKING:
    import pandas as pd

TOGETHER = 10_000
"""Number of queries up to which groups may share a task.

Of more, each group gets its own task, for which Spark first samples the keys; by hash, two large groups may share one.
"""


def summarise_locally(
    query_metrics: DataFrame, groups: Mapping[Key, MeasuredGroup], summary: GroupSummary
) -> DataFrame:
    """Summarise groups of queries; those of a group are sorted in one task, so resamples do not depend on partitions.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of these groups.
        groups: the groups, by key.
        summary: how to summarise a group.

    Returns:
        The rows of the summary.
    """
    queries = paired(query_metrics, *{*summary.keys, "site"}, "query_id", "topic")
    if len(groups) > 1 and sum(group.queries for group in groups.values()) > TOGETHER:
        queries = queries.repartitionByRange(len(groups), *summary.keys)
    return queries.groupBy(*summary.keys).applyInPandas(_summarised(groups, summary), summary.schema)


def _summarised(
    groups: Mapping[Key, MeasuredGroup], summary: GroupSummary
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
        topics = np.asarray(ordered.groupby(["site", "topic"], sort=False).ngroup(), dtype=np.int64)
        resampled, sizes = in_groups(components, summary.drawn.seed, topics)
        tests = compare_systems(measured.systems, resampled, totals, summary.compared, summary.drawn, sizes)
        return summary.rows(key, tests, wins, measured)

    return summarise_group
