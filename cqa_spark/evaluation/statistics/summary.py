"""Compares systems on Spark: each measure over all queries with its interval, and each system against a baseline.

Groups of up to ``MANY`` queries are summarised in one task each, which resamples single topics; larger ones are summed
where their queries are stored (``distributed``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.evaluation.statistics.bootstrap import CONFIDENCE, MANY, RESAMPLES, SEED, Resampling, in_groups
from cqa_spark.evaluation.statistics.distributed import summarise_distributed
from cqa_spark.evaluation.statistics.groups import GroupSummary, Key, MeasuredGroup, measured_groups, paired
from cqa_spark.evaluation.statistics.tests import ComparedSystems, compare_systems, count_wins
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.metrics import (
    AGGREGATE,
    COMPARISONS,
    METRICS,
    OF_SYSTEM,
    QUERY_METRICS,
    RESAMPLING,
    by_measure,
)
from cqa_spark.spark.frames import persisted

if TYPE_CHECKING:
    import pandas as pd

TOGETHER = 10_000
"""Number of queries up to which groups of queries may share a task.

Of more, each group gets its own task, for which Spark first samples the keys; by hash, two large groups may share one.
"""

_GROUP = ["task", "split", "measure"]

_TESTS = [column for column in COMPARISONS.columns if column.name not in {metric.name for metric in METRICS.columns}]
"""The columns of a comparison that a metric lacks."""

_SUMMARISED = T.StructType(
    [*OF_SYSTEM, *AGGREGATE, *RESAMPLING, *[T.StructField(column.name, column.dataType) for column in _TESTS]]
)


class Summary(NamedTuple):
    """The metrics and comparisons of systems over all queries.

    Attributes:
        tested: entries of ``METRICS`` with the further columns of ``COMPARISONS``, which are None for the baseline.
        further: the same for other tests: against the second baseline, and of the best system against the second best;
            empty unless requested.
    """

    tested: list[Entry]
    further: list[Entry]

    @property
    def metrics(self) -> list[Entry]:
        """Entries of ``METRICS``."""
        return [_declared(METRICS, entry) for entry in self.tested]

    @property
    def comparisons(self) -> list[Entry]:
        """Entries of ``COMPARISONS``: each system and the baseline, then the further tests."""
        compared = [entry for entry in self.tested if entry["p_value"] is not None] + self.further
        return [_declared(COMPARISONS, entry) for entry in compared]


def _declared(table: JournalTable, entry: Entry) -> Entry:
    return {column.name: entry[column.name] for column in table.columns if column.name in entry}


def summarise(
    query_metrics: DataFrame,
    baseline: str,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    best_by: str | None = None,
    second_baseline: str | None = None,
) -> Summary:
    """Aggregate every measure of every system over its queries, and test every system against the baseline.

    Topics are resampled (``clusters``), each with all its queries. The driver receives a row per system and measure.

    Args:
        query_metrics: rows of ``QUERY_METRICS``; read several times, so pass a stored or cached table.
        baseline: system to compare the others with.
        resamples: number of resamples of each interval and each test.
        seed: seed of the resampling.
        confidence: coverage of the intervals.
        best_by: display name of the measure by which the best system is selected and tested against the second best,
            unless one of them is a baseline; None for no such test.
        second_baseline: a further system to compare the others with, except the baseline; ignored if it was not
            evaluated.

    Raises:
        ContractError: a task and split has no rankings of the baseline, or systems with different queries.
    """
    drawn = Resampling(resamples, seed, confidence)
    baselines = (baseline,) if second_baseline is None else (baseline, second_baseline)
    entries = _summary(query_metrics, ComparedSystems(baselines, best_by), drawn, _GROUP)
    tested = [entry for entry in entries if entry["baseline"] in (None, baseline)]
    return Summary(tested, [entry for entry in entries if entry["baseline"] not in (None, baseline)])


def summarise_by_site(query_metrics: DataFrame, baseline: str, drawn: Resampling) -> list[Entry]:
    """Compare systems on each site, and on all sites together, named ``EVERY``.

    Args:
        query_metrics: rows of ``QUERY_METRICS``, stored or cached.
        baseline: system to compare the others with.
        drawn: parameters of the resampling.

    Returns:
        Entries of ``SITE_METRICS``.

    Raises:
        ContractError: as in ``summarise``.
    """
    scope = F.explode(F.array(F.lit(EVERY), F.col("site"))).alias("scope")
    entries = _summary(query_metrics.select("*", scope), ComparedSystems((baseline,)), drawn, [*_GROUP, "scope"])
    return [{**with_test(entry), "site": entry["scope"], "baseline": baseline} for entry in entries]


def summarise_runs(by_run: Mapping[str, DataFrame], drawn: Resampling) -> list[Entry]:
    """Compare several runs with the first, system by system, over the queries that all of them have measured.

    Args:
        by_run: rows of ``QUERY_METRICS`` by id of the run; the first run is the one that the others are tested against.
        drawn: parameters of the resampling.

    Returns:
        Entries of ``METRICS`` with the further columns of ``COMPARISONS``: ``system`` is the run, ``scope`` the system.
    """
    rows = [
        by_measure(frame).withColumns({"scope": F.col("system"), "system": F.lit(run)}) for run, frame in by_run.items()
    ]
    query = [*QUERY_METRICS.key, "topic", "scope"]
    of_run = F.struct("system", "measure", "value", "components")
    shared = (
        reduce(DataFrame.unionByName, rows)
        .groupBy(*query, "measure")
        .agg(F.collect_list(of_run).alias("runs"))
        .where(F.size("runs") == len(by_run))
        .groupBy(*query)
        .agg(F.array_sort(F.flatten(F.collect_list("runs"))).alias("measures"))
    )
    with persisted(shared) as (stored,):
        return _summary(stored, ComparedSystems((next(iter(by_run)),)), drawn, [*_GROUP, "scope"])


def with_test(entry: Entry) -> Entry:
    """The columns of ``METRICS`` of a tested entry, with ``difference`` and ``p_value``; 0 and 1 for the baseline."""
    metric = _declared(METRICS, entry)
    if entry["p_value"] is None:
        return {**metric, "difference": 0.0, "p_value": 1.0}
    return {**metric, "difference": entry["difference"], "p_value": entry["p_value"]}


def _summary(query_metrics: DataFrame, compared: ComparedSystems, drawn: Resampling, by: list[str]) -> list[Entry]:
    """A row for each system, measure and group of queries, in that order of columns; tests are None for the baseline.

    Resamples are drawn once for all measures of a group of queries. Groups for which a measure is undefined have no row
    of it.
    """
    keys = [name for name in by if name != "measure"]
    schema = T.StructType([*_SUMMARISED, *[T.StructField(name, T.StringType()) for name in by if name not in _GROUP]])
    summary = GroupSummary(compared, drawn, tuple(keys), schema)
    groups = measured_groups(query_metrics, compared.baselines[0], keys)
    large = {key: group for key, group in groups.items() if group.queries > MANY}
    small = {key: group for key, group in groups.items() if key not in large}
    entries: list[Entry] = []
    for summarise_groups, chosen in ((summarise_distributed, large), (summarise_locally, small)):
        if not chosen:
            continue
        rows = query_metrics
        if chosen != groups:
            is_chosen = F.lit(False)
            for key in chosen:
                is_chosen |= reduce(
                    Column.__and__, [F.col(name) == value for name, value in zip(keys, key, strict=True)]
                )
            rows = query_metrics.where(is_chosen)
        entries += [row.asDict() for row in summarise_groups(rows, chosen, summary).collect()]
    return sorted(entries, key=lambda entry: [entry[name] for name in (*by, "system")])


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

    queries = paired(query_metrics, *{*summary.keys, "site"}, "query_id", "topic")
    if len(groups) > 1 and sum(group.queries for group in groups.values()) > TOGETHER:
        queries = queries.repartitionByRange(len(groups), *summary.keys)
    return queries.groupBy(*summary.keys).applyInPandas(summarise_group, summary.schema)
