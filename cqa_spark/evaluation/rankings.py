"""Measures of every query of a ranking, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery
from cqa_spark.lake.schemas.metrics import QUERY_METRICS

_GROUP = ["task", "split"]
_PAIR = ["site", "query_id", "candidate_id"]
_OF_CANDIDATE = ["relevant", "gain", "predicted", "score"]
_QUERY = ["system", *_GROUP, "site", "query_id"]

Batches = Iterable[pa.RecordBatch]


def query_metrics(
    rankings: DataFrame, examples: DataFrame, measures: Sequence[Measure], *, at_random: Collection[str] = ()
) -> DataFrame:
    """Compute every measure of every judged query, for every system that ranked anything of its task and split.

    Candidates without a label are left out as unjudged, and so are queries that have no other. A judged query or
    candidate that a system did not rank counts as not found.

    Args:
        rankings: rows of ``RANKINGS``, of one run.
        examples: rows of ``EXAMPLES``.
        measures: measures to compute; repeated ones are computed once.
        at_random: systems whose order is a random one: the expectation over all orders is computed.

    Returns:
        Rows of ``QUERY_METRICS``.
    """
    queries = _ranked_queries(_judged_for_every_system(rankings, examples))
    rows = queries.mapInArrow(_measured(tuple(dict.fromkeys(measures)), frozenset(at_random)), QUERY_METRICS.schema)
    return QUERY_METRICS.conform(rows)


def _judged_for_every_system(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """One row per judged candidate and system; rank, score and prediction are null where the system did not rank it."""
    judged = examples.where(F.col("label").isNotNull() & F.col("relevant").isNotNull())
    gain = F.coalesce("similarity", F.col("label").cast("double"))
    judged = judged.select(*_GROUP, *_PAIR, gain.alias("gain"), "relevant")
    systems = rankings.select("system", *_GROUP).distinct()
    ranked = rankings.select("system", *_GROUP, *_PAIR, "rank", "predicted", "score")
    wanted = judged.join(F.broadcast(systems), on=_GROUP, how="inner")
    return wanted.join(ranked, on=["system", *_GROUP, *_PAIR], how="left")


def _ranked_queries(judged: DataFrame) -> DataFrame:
    """One row per system and query; the candidates' columns are arrays in the order of rank, unranked ones last."""
    # The id after the rank makes the order total where nothing is ranked.
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
        for batch in batches:
            rows = [measured for row in batch.to_pylist() for measured in _rows(row, measures, at_random)]
            yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return measure_batches


def _rows(row: dict[str, Any], measures: Iterable[Measure], at_random: frozenset[str]) -> Iterator[dict[str, Any]]:
    key = {name: row[name] for name in _QUERY}
    query = _ranked_query(row)
    for measure in measures:
        components = (
            expected_components(measure, query, row["query_id"])
            if row["system"] in at_random
            else measure.components(query)
        )
        yield {**key, "measure": str(measure), "value": measure.aggregate(components, 1), "components": components}


def _ranked_query(row: dict[str, Any]) -> RankedQuery:
    known = zip(*(row[name] for name in _OF_CANDIDATE), strict=True)
    candidates = [
        Candidate(relevant, gain, bool(predicted), score or 0.0) for relevant, gain, predicted, score in known
    ]
    ranked = row["unranked"].count(False)
    return RankedQuery(candidates[:ranked], candidates[ranked:])
