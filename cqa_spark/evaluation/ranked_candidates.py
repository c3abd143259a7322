"""Brings the judged candidates of each query together with their ranks by every system.

Spark shuffles judgments and rankings by a hash of the query, and sorts them by it; NumPy arranges the candidates of
many queries at once. The candidates of a query are shuffled as one row, as hashes and numbers.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.clustered import topic
from cqa_spark.evaluation.patterns import CANDIDATE
from cqa_spark.spark.packed_rows import packed, unpacked

QUERY = "query"
"""Column with the hash of a query."""

JUDGED = np.dtype([("candidate", np.int64), ("relevant", np.bool_), ("gain", np.float64)])
"""A judged candidate; candidates are identified by their hash."""

RANKED = np.dtype([("candidate", np.int64), ("rank", np.int32), ("score", np.float64), ("predicted", np.bool_)])
"""A ranked candidate."""

_GROUP = ["task", "split"]
_KEY = [*_GROUP, "site", "query_id"]
_LAST = np.iinfo(np.int32).max

Numbers = NDArray[np.int64]


def judged_and_ranked(rankings: DataFrame, examples: DataFrame) -> DataFrame:
    """Judged candidates and ranked candidates of queries, packed; the rows of a query are adjacent.

    Args:
        rankings: rows of ``RANKINGS``, of one run.
        examples: rows of ``EXAMPLES``.

    Returns:
        The hash of the query. Of judged candidates, the key of the query, its ``topic``, the ``systems`` with rankings
        of its task and split, in alphabetical order, and records of type ``JUDGED``; of ranked ones, the ``system`` and
        records of type ``RANKED``. The other columns are null. A query may have several rows of either kind.
    """
    hashes = F.xxhash64(*_KEY).alias(QUERY), F.xxhash64("candidate_id").alias("candidate")
    gain = F.coalesce("similarity", F.col("label").cast("double")).alias("gain")
    is_judged = F.col("label").isNotNull() & F.col("relevant").isNotNull()
    judged = packed(
        examples.where(is_judged).select(*hashes, *_KEY, topic("fold_key").alias("topic"), "relevant", gain),
        [QUERY],
        JUDGED,
    )
    ranked = packed(rankings.select(*hashes, "system", "rank", "score", "predicted"), [QUERY, "system"], RANKED)
    systems = rankings.select(*_GROUP, "system").distinct()  # compiled, where sets of arbitrary values are not
    systems = systems.groupBy(*_GROUP).agg(F.array_sort(F.collect_list("system")).alias("systems"))
    rows = judged.join(F.broadcast(systems), on=_GROUP, how="inner").unionByName(ranked, allowMissingColumns=True)
    return rows.repartition(QUERY).sortWithinPartitions(QUERY)


def ranked_queries(rows: pa.Table) -> tuple[pa.Table, NDArray[np.void], Numbers]:
    """Each judged query, and its candidates as ranked by each system.

    Args:
        rows: rows of ``judged_and_ranked``; all rows of some queries.

    Returns:
        The key of each query, its ``topic`` and the ``systems`` that rank its task and split; for each query and each
        of its systems, the candidates in the order of their ranks, those that are not ranked last, of type
        ``CANDIDATE``; and their numbers.
    """
    is_ranked = rows["system"].is_valid()
    judged = _judged(rows.filter(pc.invert(is_ranked)))
    ranked, system, at = _ranked(rows.filter(is_ranked), judged)
    systems = pc.list_flatten(judged.queries["systems"])
    names = pc.unique(systems)

    # A list of candidates for each query and system: first in the order of ``judged``.
    query_of_list = np.repeat(np.arange(len(judged.queries)), pc.list_value_length(judged.queries["systems"]))
    of_query = np.bincount(judged.query, minlength=len(judged.queries))
    sizes, start_of_query = of_query[query_of_list], np.cumsum(of_query) - of_query
    start = np.cumsum(sizes) - sizes
    source = np.arange(sizes.sum()) + np.repeat(start_of_query[query_of_list] - start, sizes)
    start_of = np.zeros((len(judged.queries), len(names)), np.int64)
    start_of[query_of_list, _places(systems, names)] = start
    query = judged.query[at]
    place = start_of[query, _places(system, names)] + at - start_of_query[query]

    # Then in the order of ranks.
    rank = np.full(len(source), _LAST)
    rank[place] = ranked["rank"]
    order = np.argsort((np.repeat(np.arange(len(sizes)), sizes) << 32) + rank, kind="stable")
    place_in_order = np.empty_like(order)
    place_in_order[order] = np.arange(len(order))
    source, place = source[order], place_in_order[place]

    candidates = np.zeros(len(source), CANDIDATE)
    for name in ("relevant", "gain"):
        candidates[name] = judged.records[name][source]
    candidates["judged"] = True
    candidates["ranked"][place] = True
    for name in ("predicted", "score"):
        candidates[name][place] = ranked[name]
    return judged.queries, candidates, sizes


class _Judged(NamedTuple):
    """Judged candidates, sorted by the hashes of query and candidate.

    Attributes:
        queries: key and ``systems`` of each query.
        query: number of each candidate's query.
        records: the candidates, of type ``JUDGED``.
        pairs: a hash of each candidate and its query.
    """

    queries: pa.Table
    query: Numbers
    records: NDArray[np.void]
    pairs: Numbers


def _judged(rows: pa.Table) -> _Judged:
    records, row = unpacked(rows, JUDGED)
    hashes, first_row, query_of_row = np.unique(rows[QUERY], return_index=True, return_inverse=True)
    query = query_of_row[row]
    order = np.lexsort((records["candidate"], query))
    query, records = query[order], records[order]
    queries = rows.select([*_KEY, "topic", "systems"]).take(first_row)
    return _Judged(queries, query, records, records["candidate"] + hashes[query])


def _ranked(rows: pa.Table, judged: _Judged) -> tuple[NDArray[np.void], pa.ChunkedArray, Numbers]:
    """The ranked candidates that are judged: records, system, and position among the judged ones."""
    records, row = unpacked(rows, RANKED)
    pairs = records["candidate"] + rows[QUERY].to_numpy()[row]
    position = pc.index_in(pa.array(pairs), pa.array(judged.pairs)).fill_null(-1).to_numpy()
    is_judged = position >= 0
    return records[is_judged], rows["system"].take(row[is_judged]), position[is_judged]


def _places(values: pa.ChunkedArray, names: pa.Array) -> Numbers:
    """The position of each value among the names."""
    return np.asarray(pc.index_in(values, names).to_numpy(), np.int64)
