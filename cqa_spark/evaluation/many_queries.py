"""Intervals and tests of systems on more queries than fit one task, summed by group of queries on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.evaluation.group_summary import GroupSummary
from cqa_spark.evaluation.paired_systems import Key, MeasuredGroup, paired
from cqa_spark.evaluation.query_groups import DIGITS, GROUPS, GroupSums, compare_groups, from_parts

if TYPE_CHECKING:
    import pandas as pd

MANY = 50_000
"""Number of queries of a task and split above which groups of queries are resampled."""

Batches = Iterable[pa.RecordBatch]

_PARTS = 20
"""Number of parts of the groups' sums; each part, and the wins, are added up over the tasks in one place."""

_PART = (T.StructField("part", T.IntegerType()), T.StructField("sums", T.ArrayType(T.DoubleType())))


def summarise_many(query_metrics: DataFrame, groups: Mapping[Key, MeasuredGroup], summary: GroupSummary) -> DataFrame:
    """Summarise groups of queries, where the queries lie.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of these groups.
        groups: the groups, by key.
        summary: how to summarise a group.

    Returns:
        The rows of the summary.
    """
    keys = summary.keys
    group = F.pmod(F.xxhash64("site", "query_id"), F.lit(GROUPS)).alias("group")
    parts = T.StructType([*[summary.schema[name] for name in keys], *_PART])
    sums = paired(query_metrics, *keys, group).mapInArrow(_adding(groups, keys), parts)
    totals = sums.groupBy(*keys, "part").applyInPandas(_added(keys), parts)
    return totals.groupBy(*keys).applyInPandas(_comparing(groups, summary), summary.schema)


def _adding(groups: Mapping[Key, MeasuredGroup], keys: Sequence[str]) -> Callable[[Batches], Batches]:
    def add(batches: Batches) -> Batches:
        import numpy as np

        found: dict[Key, GroupSums] = {}
        for batch in batches:
            for key, rows in _by_key(pa.Table.from_batches([batch]), keys):
                if key not in found:
                    found[key] = GroupSums(groups[key])
                values, components = (
                    pc.list_flatten(rows[name]).to_numpy().reshape(len(rows), -1) for name in ("values", "components")
                )
                found[key].add(rows["group"].to_numpy(), values, components)
        for key, sums in found.items():
            named = {name: [value] for name, value in zip(keys, key, strict=True)}
            parts = [*np.array_split(sums.parts, _PARTS, axis=1), sums.wins.astype(np.float64)]
            for part, each in enumerate(parts):
                row = {**named, "part": pa.array([part], pa.int32()), "sums": pa.array([each.ravel()])}
                yield pa.RecordBatch.from_pydict(row)

    return add


def _added(keys: Sequence[str]) -> Callable[[tuple[Any, ...], pd.DataFrame], pd.DataFrame]:
    def add(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        total = np.sum(np.stack(rows["sums"].to_list()), axis=0)
        return pd.DataFrame({**dict(zip((*keys, "part"), key, strict=True)), "sums": [total]})

    return add


def _comparing(
    groups: Mapping[Key, MeasuredGroup], summary: GroupSummary
) -> Callable[[tuple[Any, ...], pd.DataFrame], pd.DataFrame]:
    def compare(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np

        measured = groups[tuple(map(str, key))]
        *parts, wins = rows.sort_values("part")["sums"]
        sums = np.concatenate([each.reshape(DIGITS, -1, measured.columns + 1) for each in parts], axis=1)
        tests = compare_groups(measured, from_parts(sums), summary.compared, summary.drawn)
        of_pairs = wins.astype(np.int64).reshape(len(measured.systems), len(measured.systems), -1)
        return summary.rows(key, tests, of_pairs, measured)

    return compare


def _by_key(rows: pa.Table, keys: Sequence[str]) -> Iterator[tuple[Key, pa.Table]]:
    for key in rows.select(keys).group_by(keys).aggregate([]).to_pylist():
        mask = reduce(pc.and_, [pc.equal(rows[name], key[name]) for name in keys])
        yield tuple(key[name] for name in keys), rows.filter(mask)
