"""Measures of every query of a ranking, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.patterns import CANDIDATE, Measured, MeasuredPatterns, Pattern, measured, ranked_query
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.lake.schemas.metrics import QUERY_METRICS

_GROUP = ["task", "split"]
_PAIR = ["site", "query_id", "candidate_id"]
_OF_CANDIDATE = ["relevant", "gain", "predicted", "score"]
_QUERY = ["system", *_GROUP, "site", "query_id"]

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
    queries = _ranked_queries(_judged_for_every_system(rankings, examples))
    rows = queries.mapInArrow(_measured(tuple(dict.fromkeys(measures)), frozenset(at_random)), QUERY_METRICS.schema)
    return QUERY_METRICS.conform(rows)


def _judged_for_every_system(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """One row per judged candidate and system; rank, score and prediction are null if the system did not rank it."""
    judged = examples.where(F.col("label").isNotNull() & F.col("relevant").isNotNull())
    gain = F.coalesce("similarity", F.col("label").cast("double"))
    judged = judged.select(*_GROUP, *_PAIR, gain.alias("gain"), "relevant")
    # Renamed, because Spark does not always tell apart the columns of a table that is joined with itself.
    systems = rankings.select(F.col("system").alias("of_system"), *_GROUP).distinct()
    ranked = rankings.select("system", *_GROUP, *_PAIR, "rank", "predicted", "score")
    wanted = judged.join(F.broadcast(systems), on=_GROUP, how="inner").withColumnRenamed("of_system", "system")
    return wanted.join(ranked, on=["system", *_GROUP, *_PAIR], how="left")


def _ranked_queries(judged: DataFrame) -> DataFrame:
    """One row per system and query; the candidates' columns are arrays in the order of rank, unranked ones last."""
    # The id after the rank makes the order of unranked candidates total.
    best_first = F.sort_array(
        F.collect_list(F.struct(F.col("rank").isNull().alias("unranked"), "rank", "candidate_id", *_OF_CANDIDATE))
    )
    queries = judged.groupBy(*_QUERY).agg(best_first.alias("candidates"))
    return queries.select(*_QUERY, *map(_candidates, ("unranked", *_OF_CANDIDATE)))


def _candidates(name: str) -> Column:
    return F.col(f"candidates.{name}").alias(name)


def _measured(measures: tuple[Measure, ...], at_random: frozenset[str]) -> Callable[[Batches], Batches]:
    schema = pa.schema(
        [(name, pa.string()) for name in (*_QUERY, "measure")]
        + [("value", pa.float64()), ("components", pa.list_(pa.float64()))]
    )

    def measure_batches(batches: Batches) -> Batches:
        known = MeasuredPatterns(measures)
        for batch in batches:
            of_queries = [
                _expected(measures, query, query_id) if system in at_random else known.components(query)
                for system, query_id, query in zip(
                    batch["system"].to_pylist(), batch["query_id"].to_pylist(), _patterns(batch), strict=True
                )
            ]
            yield _rows(batch, measures, of_queries).cast(schema)

    return measure_batches


def _expected(measures: Sequence[Measure], pattern: Pattern, query_id: str) -> Measured:
    query = ranked_query(pattern)
    components = [expected_components(measure, query, query_id) for measure in measures]
    return measured(measures, components)


def _rows(batch: pa.RecordBatch, measures: Sequence[Measure], of_queries: Sequence[Measured]) -> pa.RecordBatch:
    """A row for each query and measure."""
    places = np.repeat(np.arange(batch.num_rows), len(measures))
    names = pa.array([str(measure) for measure in measures]).take(
        pa.array(np.tile(np.arange(len(measures)), len(batch)))
    )
    values = [value for each in of_queries for value in each.values]
    components = [numbers for each in of_queries for numbers in each.components]
    return pa.RecordBatch.from_pydict(
        {
            **{name: batch[name].take(pa.array(places)) for name in _QUERY},
            "measure": pa.array(names, pa.string()),
            "value": pa.array(values, pa.float64()),
            "components": pa.array(components, pa.list_(pa.float64())),
        }
    )


def _patterns(batch: pa.RecordBatch) -> Iterator[Pattern]:
    """The candidates of each row, in their order."""
    lists = batch["unranked"]
    flat = np.empty(len(lists.values), CANDIDATE)
    flat["ranked"] = ~lists.values.to_numpy(zero_copy_only=False)
    for name in _OF_CANDIDATE:
        values = batch[name].values
        flat[name] = values.fill_null(False if pa.types.is_boolean(values.type) else 0.0).to_numpy(zero_copy_only=False)
    ends = lists.offsets.to_numpy()
    yield from map(flat.__getitem__, map(slice, ends[:-1], ends[1:]))
