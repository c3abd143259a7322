"""Brings the judged candidates of each query together with their ranks by every system.

Spark shuffles judgments and rankings by a hash of the query, and sorts them by it; NumPy arranges the candidates of
many queries at once. Only hashes and numbers of the rankings are shuffled.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.patterns import CANDIDATE, Pattern

QUERY = "query"
"""Column with the hash of a query."""

_GROUP = ["task", "split"]
_KEY = [*_GROUP, "site", "query_id"]
_LAST = np.iinfo(np.int32).max

Numbers = NDArray[np.int64]


def judged_and_ranked(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """Judged candidates and ranked candidates as rows; the rows of a query are adjacent.

    Args:
        rankings: rows of ``RANKINGS``, of one run.
        examples: rows of ``EXAMPLES``.

    Returns:
        The hashes of query and candidate. Of a judged candidate, the key of the query, ``relevant``, ``gain``, and the
        ``systems`` with rankings of its task and split; of a ranked one, ``system``, ``rank``, ``score`` and
        ``predicted``. The other columns are null.
    """
    hashes = F.xxhash64(*_KEY).alias(QUERY), F.xxhash64("candidate_id").alias("candidate")
    gain = F.coalesce("similarity", F.col("label").cast("double")).alias("gain")
    judged = examples.where(F.col("label").isNotNull() & F.col("relevant").isNotNull())
    judged = judged.select(*hashes, *_KEY, "relevant", gain)
    systems = rankings.groupBy(*_GROUP).agg(F.collect_set("system").alias("systems"))
    ranked = rankings.select(*hashes, "system", "rank", "score", "predicted")
    rows = judged.join(F.broadcast(systems), on=_GROUP, how="inner").unionByName(ranked, allowMissingColumns=True)
    return rows.repartition(QUERY).sortWithinPartitions(QUERY)


def ranked_queries(rows: pa.Table) -> tuple[pa.Table, Iterator[Pattern]]:
    """Each judged query, once for each system that ranks its task and split.

    Args:
        rows: rows of ``judged_and_ranked``; all rows of some queries.

    Returns:
        The key of each query and the system; and the candidates of each, in the order of their ranks.
    """
    is_ranked = rows["system"].is_valid().to_numpy()
    judged, ranked = rows.filter(~is_ranked), rows.filter(is_ranked)
    judged = judged.take(np.lexsort((judged["candidate"].to_numpy(), judged[QUERY].to_numpy())))
    queries, starts, sizes = np.unique(judged[QUERY].to_numpy(), return_index=True, return_counts=True)
    lists = judged["systems"].take(starts)
    names, systems = pc.unique(pc.list_flatten(lists)), pc.list_flatten(lists)
    number = np.repeat(np.arange(len(queries)), pc.list_value_length(lists).to_numpy())
    found = judged.select(_KEY).take(starts[number]).append_column("system", systems)

    ends = np.cumsum(sizes[number])
    first = ends - sizes[number]
    # The judged candidates of each query and system.
    source = np.arange(sizes[number].sum()) + np.repeat(starts[number] - first, sizes[number])
    rank, candidates = np.full(len(source), _LAST), np.zeros(len(source), CANDIDATE)
    for name in ("relevant", "gain"):
        candidates[name] = _numpy(judged[name])[source]

    place = _positions(judged, ranked)
    ranked, place = ranked.filter(place >= 0), place[place >= 0]
    query = np.searchsorted(queries, ranked[QUERY].to_numpy())
    row_of = np.zeros((len(queries), len(names)), np.int64)
    row_of[number, _numpy(pc.index_in(systems, names))] = first
    place += row_of[query, _numpy(pc.index_in(ranked["system"], names))] - starts[query]
    rank[place] = ranked["rank"].to_numpy()
    candidates["ranked"][place] = True
    for name in ("predicted", "score"):
        candidates[name][place] = _numpy(ranked[name])
    candidates = candidates[np.lexsort((rank, np.repeat(np.arange(len(number)), sizes[number])))]
    return found, map(candidates.__getitem__, map(slice, first, ends))


def _positions(judged: pa.Table, ranked: pa.Table) -> Numbers:
    """The position of each ranked candidate among the judged ones, which are sorted; -1 if it is not judged."""
    both = [np.concatenate([judged[name].to_numpy(), ranked[name].to_numpy()]) for name in (QUERY, "candidate")]
    order = np.lexsort((*both[::-1],))  # stable: the judged candidate before the same candidate of the rankings
    is_judged = order < judged.num_rows
    latest = np.cumsum(is_judged) - 1
    known = latest >= 0
    for values in both:
        known &= values[order] == values[np.maximum(latest, 0)] if judged.num_rows else False
    found = np.empty(len(order), np.int64)
    found[order] = np.where(known, latest, -1)
    return found[judged.num_rows :]


def _numpy(column: pa.ChunkedArray) -> NDArray[np.generic]:
    """The values as numbers or booleans; nulls are 0 or False."""
    kind = column.type.to_pandas_dtype()
    values: NDArray[np.generic] = column.fill_null(kind(0)).to_numpy()
    return values
