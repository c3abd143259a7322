"""Measures of every query of a ranking, and over the queries of groups, on Spark.

Spark shuffles judgments and rankings by a hash of the query, and sorts them by it; NumPy arranges the candidates of
many queries at once. The candidates of a query are shuffled as one row, as hashes and numbers.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.evaluation.evaluate import (
    CANDIDATE,
    Measured,
    MeasuredPatterns,
    expected_components,
    measured,
    patterns,
    ranked_query,
)
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.clusters import topic
from cqa_spark.evaluation.statistics.distributed import digits, from_digits
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.spark.frames import packed, unpacked, whole_groups

QUERY = "query"
"""Column with the hash of a query."""

JUDGED = np.dtype([("candidate", np.int64), ("relevant", np.bool_), ("gain", np.float64)])
"""A judged candidate; candidates are identified by their hash."""

RANKED = np.dtype([("candidate", np.int64), ("rank", np.int32), ("score", np.float64), ("predicted", np.bool_)])
"""A ranked candidate."""

_GROUP = ["task", "split"]

_KEY = [*_GROUP, "site", "query_id"]

_LAST = np.iinfo(np.int32).max

_BYTES = 4_000_000
"""Size of the packed rows that are measured at once, about 150,000 candidates."""

_SCHEMA = T.StructType([field for field in QUERY_METRICS.columns if not field.nullable]).simpleString()

_DIGITS = 3
"""Components above 2 ** -12 are then added exactly."""

Numbers = NDArray[np.int64]


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
    by_name, expected = tuple(sorted(dict.fromkeys(measures), key=str)), frozenset(at_random)
    keep_scores = any(measure.uses_scores for measure in by_name)
    if keep_scores:
        rankings = _on_unit_range(rankings)

    def measure_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        cache = MeasuredPatterns(by_name)
        for rows in whole_groups(batches, QUERY, at_a_time=_BYTES, size=lambda packed: packed.nbytes):
            queries, candidates, sizes = ranked_queries(rows)
            systems = pc.list_flatten(queries["systems"]).to_pylist()
            numbers = pc.list_value_length(queries["systems"]).to_numpy()
            ids = np.repeat(queries["query_id"].to_numpy(), numbers)
            of_queries = []
            for system, query_id, pattern in zip(
                systems, ids, patterns(candidates, sizes, keep_scores=keep_scores), strict=True
            ):
                if system in expected:
                    components = expected_components(by_name, ranked_query(pattern), query_id)
                    of_queries.append(measured(by_name, components))
                else:
                    of_queries.append(cache.components(pattern))
            yield from _rows(queries, by_name, of_queries).to_batches()

    return QUERY_METRICS.complete(judged_and_ranked(rankings, examples).mapInArrow(measure_batches, _SCHEMA))


def measure_totals(measured: DataFrame, measure: str, by: Sequence[str]) -> dict[tuple[Any, ...], float]:
    """A measure over all queries of each group, added up where the queries are stored; bit-equal for any partitions.

    Args:
        measured: result of ``by_measure`` for this measure.
        measure: its display name.
        by: columns that identify a group.

    Returns:
        The measure by the values of these columns.
    """
    components = measured.select(*by, F.posexplode("components").alias("place", "component"))
    of_component = digits(F.col("component"), _DIGITS, F.rint)
    sums = [F.sum(digit.cast("long")).alias(f"digit{number}") for number, digit in enumerate(of_component)]
    rows = components.groupBy(*by, "place").agg(F.count(F.lit(1)).alias("queries"), *sums).orderBy("place").collect()
    totals: dict[tuple[Any, ...], list[float]] = {}
    queries = {tuple(row[name] for name in by): row["queries"] for row in rows}
    for row in rows:
        exact = from_digits([Fraction(row[f"digit{number}"]) for number in range(_DIGITS)])
        totals.setdefault(tuple(row[name] for name in by), []).append(float(exact))
    parsed = parse_measure(measure)
    return {group: parsed.aggregate(sums, queries[group]) for group, sums in totals.items()}


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

    # Lists of candidates, of each query and system, one after the other; first in the order of ``judged``. ``start`` is
    # the index of the first candidate of a list, ``source`` the judged candidate at each index.
    query_of_list = np.repeat(np.arange(len(judged.queries)), pc.list_value_length(judged.queries["systems"]))
    of_query = np.bincount(judged.query, minlength=len(judged.queries))
    sizes, start_of_query = of_query[query_of_list], np.cumsum(of_query) - of_query
    start = np.cumsum(sizes) - sizes
    source = np.arange(sizes.sum()) + np.repeat(start_of_query[query_of_list] - start, sizes)
    start_of = np.zeros((len(judged.queries), len(names)), np.int64)
    start_of[query_of_list, _positions(systems, names)] = start
    query = judged.query[at]
    # The index of each ranked candidate.
    index = start_of[query, _positions(system, names)] + at - start_of_query[query]

    # Then in the order of ranks.
    rank = np.full(len(source), _LAST)
    rank[index] = ranked["rank"]
    order = np.argsort((np.repeat(np.arange(len(sizes)), sizes) << 32) + rank, kind="stable")
    index_in_order = np.empty_like(order)
    index_in_order[order] = np.arange(len(order))
    source, index = source[order], index_in_order[index]

    candidates = np.zeros(len(source), CANDIDATE)
    for name in ("relevant", "gain"):
        candidates[name] = judged.records[name][source]
    candidates["judged"] = True
    candidates["ranked"][index] = True
    for name in ("predicted", "score"):
        candidates[name][index] = ranked[name]
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


def _positions(values: pa.ChunkedArray, names: pa.Array) -> Numbers:
    """The position of each value among the names."""
    return np.asarray(pc.index_in(values, names).to_numpy(), np.int64)


def _on_unit_range(rankings: DataFrame) -> DataFrame:
    """Rankings with the scores of each system with median 0 and range 1, as ``measure.on_unit_range`` does."""
    by = ["task", "split", "system"]
    middle = F.expr("percentile_disc(0.5) WITHIN GROUP (ORDER BY score)").alias("middle")
    bounds = rankings.groupBy(*by).agg(F.min("score").alias("lowest"), middle, F.max("score").alias("highest"))
    width = F.col("highest") / 2 - F.col("lowest") / 2
    scaled = F.when(width > 0, (F.col("score") / 2 - F.col("middle") / 2) / width).otherwise(0.0)
    return rankings.join(F.broadcast(bounds), on=by).withColumn("score", scaled)


def _rows(queries: pa.Table, measures: Sequence[Measure], of_queries: Sequence[Measured]) -> pa.Table:
    """The measures of each query by each of its systems."""
    # Queries with the same pattern share one object, which is converted once.
    # ``pattern`` is the number of the object of each query and system.
    distinct: dict[int, tuple[int, Measured]] = {}
    pattern = [distinct.setdefault(id(query), (len(distinct), query))[0] for query in of_queries]
    number = np.arange(len(measures))
    names = pa.array([str(measure) for measure in measures], pa.string())
    values = pa.array([value for _, query in distinct.values() for value in query.values], pa.float64())
    components = pa.array(
        [numbers for _, query in distinct.values() for numbers in query.components], pa.list_(pa.float64())
    )
    index = (np.array(pattern, np.int64)[:, None] * len(measures) + number).ravel()
    systems = queries["systems"].combine_chunks()
    columns = [
        systems.flatten().take(np.repeat(np.arange(len(of_queries)), len(measures))),
        names.take(np.tile(number, len(of_queries))),
        values.take(index),
        components.take(index),
    ]
    entries = pa.StructArray.from_arrays(columns, ["system", "measure", "value", "components"])
    # The first entry of each query, and the number of all entries.
    offsets = np.append(0, np.cumsum(systems.value_lengths().to_numpy())).astype(np.int32) * len(measures)
    of_query = pa.ListArray.from_arrays(offsets, entries)
    return queries.drop_columns("systems").append_column("measures", of_query)
