"""Intervals and tests of systems on more queries than fit one task, summed by group of queries on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.compare_systems import Compared
from cqa_spark.evaluation.paired_systems import MeasuredGroup
from cqa_spark.evaluation.query_groups import DIGITS, GROUPS, GroupSums, SumColumns, compare_groups, from_parts
from cqa_spark.evaluation.resampling import Resampling
from cqa_spark.lake.journal import Entry

if TYPE_CHECKING:
    import pandas as pd

MANY = 50_000
"""Number of queries of a task and split above which groups of queries are resampled."""

Key = tuple[str, ...]
Batches = Iterable[pa.RecordBatch]

_PARTS = 20
"""Number of parts of the groups' sums; each part is added up over the tasks in one place."""

_OF_TEST = ("difference", "difference_low", "difference_high", "p_value")
_COMPARED = ("value", "low", "high", *_OF_TEST)

Pair = tuple[str, str]


def are_in(groups: Iterable[Key], keys: Sequence[str]) -> Column:
    """Whether a row belongs to one of the groups.

    Args:
        groups: values of the key columns.
        keys: names of these columns.
    """
    found = F.lit(False)
    for key in groups:
        same = [F.col(name) == value for name, value in zip(keys, key, strict=True)]
        found = found | reduce(lambda left, right: left & right, same)
    return found


def summarise_many(
    query_metrics: DataFrame,
    compared: Compared,
    drawn: Resampling,
    keys: list[str],
    groups: Mapping[Key, MeasuredGroup],
) -> list[Entry]:
    """Every measure of every system over the queries of large groups, and the tests of ``compare_systems``.

    The driver receives a row per system and measure.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of these groups.
        compared: the systems to test.
        drawn: parameters of the resampling.
        keys: columns that identify a group of queries.
        groups: the groups, by key.

    Returns:
        Entries of ``METRICS`` with the key columns and the further columns of ``COMPARISONS``; a system has as many as
        it has tests, at least one.
    """
    if not groups:
        return []
    columns = {key: SumColumns(group.widths, group.systems) for key, group in groups.items()}
    declared = [f"{name} string" for name in (*keys, "measure", "system", "baseline")]
    declared += [f"{name} double" for name in _COMPARED]
    sums = _sums(query_metrics, columns, keys)
    compare = _comparing(columns, compared, drawn, keys)
    rows = sums.groupBy(*keys).applyInPandas(compare, ", ".join(declared)).collect()
    pairs = sorted({(row["system"], row["baseline"]) for row in rows if row["baseline"] is not None})
    outcomes = _outcomes(query_metrics, keys, pairs)
    found = []
    for row in rows:
        key = tuple(row[name] for name in keys)
        queries = groups[key].queries
        entry = row.asDict() | {"queries": queries, **drawn._asdict()}
        if row["baseline"] is None:
            entry |= dict.fromkeys((*_OF_TEST, "wins", "losses", "ties"))
        else:
            wins, losses = outcomes[key, row["measure"]][row["system"], row["baseline"]]
            entry |= {"wins": wins, "losses": losses, "ties": queries - wins - losses}
        found.append(entry)
    return found


def _sums(query_metrics: DataFrame, columns: Mapping[Key, SumColumns], keys: list[str]) -> DataFrame:
    """The parts of the groups' sums: the key, ``part``, and ``sums``, digit by digit."""
    group = F.pmod(F.xxhash64("site", "query_id"), F.lit(GROUPS)).alias("group")
    rows = query_metrics.select(*keys, "measure", "system", "components", group)
    schema = ", ".join([*(f"{name} string" for name in keys), "part int", "sums array<double>"])
    return rows.mapInArrow(_adding(columns, keys), schema).groupBy(*keys, "part").applyInPandas(_added(keys), schema)


def _adding(columns: Mapping[Key, SumColumns], keys: list[str]) -> Callable[[Batches], Batches]:
    def add(batches: Batches) -> Batches:
        import numpy as np

        found: dict[Key, GroupSums] = {}
        for batch in batches:
            for key, rows in _by_key(pa.Table.from_batches([batch]), keys):
                if key not in found:
                    found[key] = GroupSums(columns[key])
                found[key].add(rows)
        for key, sums in found.items():
            named = {name: [value] for name, value in zip(keys, key, strict=True)}
            for part, each in enumerate(np.array_split(sums.parts(), _PARTS, axis=1)):
                row = {**named, "part": pa.array([part], pa.int32()), "sums": pa.array([each.ravel()])}
                yield pa.RecordBatch.from_pydict(row)

    return add


def _added(keys: list[str]) -> Callable[[tuple[Any, ...], pd.DataFrame], pd.DataFrame]:
    def add(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        total = np.sum(np.stack(rows["sums"].to_list()), axis=0)
        return pd.DataFrame({**dict(zip((*keys, "part"), key, strict=True)), "sums": [total]})

    return add


def _comparing(
    columns: Mapping[Key, SumColumns], compared: Compared, drawn: Resampling, keys: list[str]
) -> Callable[[tuple[Any, ...], pd.DataFrame], pd.DataFrame]:
    def compare(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np

        own = columns[tuple(map(str, key))]
        parts = [each.reshape(DIGITS, -1, own.count) for each in rows.sort_values("part")["sums"]]
        found = compare_groups(own, from_parts(np.concatenate(parts, axis=1)), compared, drawn)
        return found.assign(**dict(zip(keys, key, strict=True)))

    return compare


def _outcomes(
    query_metrics: DataFrame, keys: list[str], pairs: Sequence[Pair]
) -> dict[tuple[Key, str], dict[Pair, tuple[int, int]]]:
    """Wins and losses of each pair's first system, by group and measure."""
    systems = sorted({system for pair in pairs for system in pair})
    query = F.xxhash64("site", "query_id").alias("query")
    of_system = [F.max(F.when(F.col("system") == name, F.col("value"))) for name in systems]
    queries = query_metrics.groupBy(*keys, "measure", query).agg(F.array(*of_system).alias("values"))
    values = dict(zip(systems, (F.col("values")[place] for place in range(len(systems))), strict=True))
    counts = [
        F.array(F.count_if(values[ours] > values[theirs]), F.count_if(values[ours] < values[theirs]))
        for ours, theirs in pairs
    ]
    rows = queries.groupBy(*keys, "measure").agg(F.array(*counts).alias("counts")).collect()
    return {
        (tuple(row[name] for name in keys), row["measure"]): dict(zip(pairs, map(tuple, row["counts"]), strict=True))
        for row in rows
    }


def _by_key(rows: pa.Table, keys: list[str]) -> Iterator[tuple[Key, pa.Table]]:
    for key in rows.select(keys).group_by(keys).aggregate([]).to_pylist():
        mask = reduce(pc.and_, [pc.equal(rows[name], key[name]) for name in keys])
        yield tuple(key[name] for name in keys), rows.filter(mask)
