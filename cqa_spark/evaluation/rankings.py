"""Measures of every query of a ranking, on Spark."""

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.patterns import Measured, MeasuredPatterns, Pattern, measured, patterns, ranked_query
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_candidates import QUERY, judged_and_ranked, ranked_queries
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.spark.whole_groups import whole_groups

Batches = Iterable[pa.RecordBatch]

_BYTES = 4_000_000
"""Size of the packed rows that are measured at once, about 150,000 candidates."""

_SCHEMA = QUERY_METRICS.schema.simpleString()


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
    by_name = tuple(sorted(dict.fromkeys(measures), key=str))
    if any(measure.uses_scores for measure in by_name):
        rankings = _on_unit_range(rankings)
    measure = _measured(by_name, frozenset(at_random))
    return QUERY_METRICS.conform(judged_and_ranked(rankings, examples).mapInArrow(measure, _SCHEMA))


def _on_unit_range(rankings: DataFrame) -> DataFrame:
    """Rankings with the scores of each system with median 0 and range 1, as ``ranked_query.on_unit_range`` does."""
    by = ["task", "split", "system"]
    middle = F.expr("percentile_disc(0.5) WITHIN GROUP (ORDER BY score)").alias("middle")
    bounds = rankings.groupBy(*by).agg(F.min("score").alias("lowest"), middle, F.max("score").alias("highest"))
    width = F.col("highest") / 2 - F.col("lowest") / 2
    scaled = F.when(width > 0, (F.col("score") / 2 - F.col("middle") / 2) / width).otherwise(0.0)
    return rankings.join(F.broadcast(bounds), on=by).withColumn("score", scaled)


def _measured(measures: tuple[Measure, ...], at_random: frozenset[str]) -> Callable[[Batches], Batches]:
    def measure_batches(batches: Batches) -> Batches:
        known, keep_scores = MeasuredPatterns(measures), any(measure.uses_scores for measure in measures)
        for rows in whole_groups(batches, QUERY, at_a_time=_BYTES, size=lambda packed: packed.nbytes):
            queries, candidates, sizes = ranked_queries(rows)
            systems = pc.list_flatten(queries["systems"]).to_pylist()
            numbers = pc.list_value_length(queries["systems"]).to_numpy()
            ids = np.repeat(queries["query_id"].to_numpy(), numbers)
            each = patterns(candidates, sizes, keep_scores=keep_scores)
            found = [
                _expected(measures, pattern, query_id) if system in at_random else known.components(pattern)
                for system, query_id, pattern in zip(systems, ids, each, strict=True)
            ]
            yield from _rows(queries, measures, found).to_batches()

    return measure_batches


def _expected(measures: Sequence[Measure], pattern: Pattern, query_id: str) -> Measured:
    query = ranked_query(pattern)
    return measured(measures, expected_components(measures, query, query_id))


def _rows(queries: pa.Table, measures: Sequence[Measure], found: Sequence[Measured]) -> pa.Table:
    """The measures of each query by each of its systems."""
    # Queries with the same pattern share one object, which is converted once.
    distinct: dict[int, tuple[int, Measured]] = {}
    pattern = [distinct.setdefault(id(each), (len(distinct), each))[0] for each in found]
    number = np.arange(len(measures))
    names = pa.array([str(measure) for measure in measures], pa.string())
    values = pa.array([value for _, each in distinct.values() for value in each.values], pa.float64())
    components = pa.array(
        [numbers for _, each in distinct.values() for numbers in each.components], pa.list_(pa.float64())
    )
    place = (np.array(pattern, np.int64)[:, None] * len(measures) + number).ravel()
    systems = queries["systems"].combine_chunks()
    columns = [
        systems.flatten().take(np.repeat(np.arange(len(found)), len(measures))),
        names.take(np.tile(number, len(found))),
        values.take(place),
        components.take(place),
    ]
    entries = pa.StructArray.from_arrays(columns, ["system", "measure", "value", "components"])
    of_query = pa.ListArray.from_arrays(_starts(systems) * len(measures), entries)
    return queries.drop_columns("systems").append_column("measures", of_query)


def _starts(lists: pa.ListArray) -> NDArray[np.int32]:
    """The first value of each list, and the number of all values."""
    return np.append(0, np.cumsum(lists.value_lengths().to_numpy())).astype(np.int32)
