"""Compares systems on Spark: each measure over all queries with its interval, and each system against a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.evaluation.compare_systems import Compared, compare_systems
from cqa_spark.evaluation.many_queries import MANY, are_in, summarise_many
from cqa_spark.evaluation.paired_systems import MeasuredGroup, PairedSystems, by_query, measured_groups
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED, Resampling
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS

if TYPE_CHECKING:
    import pandas as pd

_GROUP = ["task", "split", "measure"]
_TESTS = [column for column in COMPARISONS.columns if column.name not in {each.name for each in METRICS.columns}]
_SUMMARISED = T.StructType([*METRICS.columns, *[T.StructField(each.name, each.dataType) for each in _TESTS]])


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
        return [{column.name: entry[column.name] for column in METRICS.columns} for entry in self.tested]

    @property
    def comparisons(self) -> list[Entry]:
        """Entries of ``COMPARISONS``: each system and the baseline, then the further tests."""
        compared = [entry for entry in self.tested if entry["p_value"] is not None] + self.further
        return [{column.name: entry[column.name] for column in COMPARISONS.columns} for entry in compared]


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

    The queries of one task and split are sorted in one task, so the resamples do not depend on the partitions. Above
    ``MANY`` queries, they are summed in parallel (``many_queries``). The driver receives a row per system and measure.

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
    found = _summary(query_metrics, Compared(baseline, best_by, second_baseline), drawn, _GROUP)
    tested = [entry for entry in found if entry["baseline"] in (None, baseline)]
    return Summary(tested, [entry for entry in found if entry["baseline"] not in (None, baseline)])


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
    found = _summary(query_metrics.select("*", scope), Compared(baseline), drawn, [*_GROUP, "scope"])
    return [
        {"site": entry["scope"], **{column.name: entry[column.name] for column in METRICS.columns}, **_test(entry)}
        | {"baseline": baseline}
        for entry in found
    ]


def with_test(entry: Entry) -> Entry:
    """The columns of ``METRICS`` of a tested entry, with ``difference`` and ``p_value``; 0 and 1 for the baseline."""
    return {**{column.name: entry[column.name] for column in METRICS.columns}, **_test(entry)}


def _test(entry: Entry) -> Entry:
    is_baseline = entry["p_value"] is None
    return (
        {"difference": 0.0, "p_value": 1.0}
        if is_baseline
        else {name: entry[name] for name in ("difference", "p_value")}
    )


def _summary(query_metrics: DataFrame, compared: Compared, drawn: Resampling, by: list[str]) -> list[Entry]:
    """A row for each system, measure and group of queries, in that order of columns; tests are None for the baseline.

    Resamples are drawn once for all measures of a group of queries. Groups for which a measure is undefined have no row
    of it.
    """
    keys = [name for name in by if name != "measure"]
    groups, undefined = measured_groups(query_metrics, compared.baseline, keys)
    if undefined:
        query_metrics = query_metrics.where(~are_in(undefined, [*keys, "measure"]))
    many = {key: group for key, group in groups.items() if group.queries > MANY}
    few = {key: group for key, group in groups.items() if key not in many}
    found = summarise_many(query_metrics.where(are_in(many, keys)), compared, drawn, keys, many)
    if few:
        more = [T.StructField(name, T.StringType()) for name in by if name not in _GROUP]
        of_few = query_metrics.where(~are_in(many, keys)) if many else query_metrics
        summarised = _summarised(compared, drawn, keys, few)
        rows = by_query(of_few, keys).groupBy(*keys).applyInPandas(summarised, T.StructType([*_SUMMARISED, *more]))
        found += [row.asDict() for row in rows.collect()]
    return sorted(found, key=lambda row: [row[name] for name in (*by, "system")])


def _summarised(
    compared: Compared,
    drawn: Resampling,
    keys: list[str],
    groups: Mapping[tuple[str, ...], MeasuredGroup],
) -> Callable[[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    def summarise_group(key: tuple[str, ...], rows: pd.DataFrame) -> pd.DataFrame:
        systems, group = PairedSystems.of(rows, groups[key].widths), dict(zip(keys, key, strict=True))
        names, totals = systems.names.tolist(), {measure: systems.total(measure) for measure in systems.components}
        found = compare_systems(names, systems.components, totals, compared, drawn)
        return _with_outcomes(found, systems).assign(**group, queries=groups[key].queries, **drawn._asdict())

    return summarise_group


def _with_outcomes(tests: pd.DataFrame, systems: PairedSystems) -> pd.DataFrame:
    """The tests with the numbers of queries on which the system is better, worse and equal; null for untested ones."""
    import numpy as np

    values = {str(measure): of_systems for measure, of_systems in systems.values.items()}
    tested = tests[tests["baseline"].notna()]
    ours, theirs = (np.searchsorted(systems.names, tested[name]) for name in ("system", "baseline"))
    better = [
        np.sign(values[measure][one] - values[measure][other])
        for measure, one, other in zip(tested["measure"], ours, theirs, strict=True)
    ]
    counted = {"wins": 1, "losses": -1, "ties": 0}
    outcomes = {name: [int((each == sign).sum()) for each in better] for name, sign in counted.items()}
    return tests.join(tested[[]].assign(**outcomes)).astype(dict.fromkeys(counted, "Int32"))
