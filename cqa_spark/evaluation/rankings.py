"""Measures of every query of a ranking, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.patterns import Measured, MeasuredPatterns, Pattern, measured, ranked_query
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_candidates import QUERY, judged_and_ranked, ranked_queries
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.spark.whole_groups import whole_groups

Batches = Iterable[pa.RecordBatch]


def query_metrics(
    rankings: DataFrame, examples: DataFrame, measures: Sequence[Measure], *, at_random: Collection[str] = ()
) -> DataFrame:
    """Compute every measure of every judged query, for every system with rankings of its task and split.

    Unjudged candidates, and queries without judged candidates, are excluded. A judged query or candidate that a system
    did not rank counts as not found.

    Args:
        rankings: rows of ``RANKINGS``, of one run.
        examples: rows of ``EXAMPLES``.
        measures: measures to compute; repeated ones are computed once.
        at_random: systems with a random order, for which the expectation over all orders is computed.

    Returns:
        Rows of ``QUERY_METRICS``.
    """
    measure = _measured(tuple(dict.fromkeys(measures)), frozenset(at_random))
    return QUERY_METRICS.conform(judged_and_ranked(rankings, examples).mapInArrow(measure, QUERY_METRICS.schema))


def _measured(measures: tuple[Measure, ...], at_random: frozenset[str]) -> Callable[[Batches], Batches]:
    def measure_batches(batches: Batches) -> Batches:
        known = MeasuredPatterns(measures)
        for rows in whole_groups(batches, QUERY):
            queries, patterns = ranked_queries(rows)
            systems, ids = queries["system"].to_pylist(), queries["query_id"].to_pylist()
            found = [
                _expected(measures, pattern, query_id) if system in at_random else known.components(pattern)
                for system, query_id, pattern in zip(systems, ids, patterns, strict=True)
            ]
            yield from _rows(queries, measures, found).to_batches()

    return measure_batches


def _expected(measures: Sequence[Measure], pattern: Pattern, query_id: str) -> Measured:
    query = ranked_query(pattern)
    components = [expected_components(measure, query, query_id) for measure in measures]
    return measured(measures, components)


def _rows(queries: pa.Table, measures: Sequence[Measure], of_queries: Sequence[Measured]) -> pa.Table:
    """A row for each query and measure."""
    # Queries with the same pattern share one object, which is converted once.
    distinct: dict[int, tuple[int, Measured]] = {}
    pattern = [distinct.setdefault(id(each), (len(distinct), each))[0] for each in of_queries]
    number = np.arange(len(measures))
    names = pa.array([str(measure) for measure in measures], pa.string())
    values = pa.array([value for _, each in distinct.values() for value in each.values], pa.float64())
    components = pa.array(
        [numbers for _, each in distinct.values() for numbers in each.components], pa.list_(pa.float64())
    )
    place = (np.array(pattern, np.int64)[:, None] * len(measures) + number).ravel()
    repeated = queries.take(np.repeat(np.arange(len(of_queries)), len(measures)))
    rows = (
        repeated.append_column("measure", names.take(pa.array(np.tile(number, len(of_queries)))))
        .append_column("value", values.take(pa.array(place)))
        .append_column("components", components.take(pa.array(place)))
    )
    return rows.select(QUERY_METRICS.schema.names)
