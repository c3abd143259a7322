"""Intervals and tests of systems on more queries than fit one task, by the Poisson bootstrap on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.paired_systems import MeasuredGroup
from cqa_spark.evaluation.poisson_bootstrap import MOST_RESAMPLES, PoissonSums, fractions, from_digits, shift_test
from cqa_spark.evaluation.resampling import Components, Resampling
from cqa_spark.evaluation.significance import holm
from cqa_spark.lake.journal import Entry

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

MANY = 50_000
"""Number of queries above which a group is compared in parallel, without collecting it in one task."""

Key = tuple[str, ...]

_BLOCK, _SUMS = "block", "sums"
_OUTCOMES = -1
"""Number of the block with wins, losses and ties; block 0 is the data, the next ones are resamples."""


class _Layout(NamedTuple):
    """The columns of a group's sums: by measure, then by system.

    Attributes:
        components: arrays with the shape of the components, (systems, components).
        systems: names, in alphabetical order.
        baseline: position of the baseline among them.
    """

    components: Components
    systems: list[str]
    baseline: int

    @classmethod
    def of(cls, group: MeasuredGroup, baseline: str) -> _Layout:
        import numpy as np

        systems = sorted(group.systems)
        shapes = {measure: np.empty((len(systems), width)) for measure, width in group.widths.items()}
        return cls(shapes, systems, systems.index(baseline))

    @property
    def width(self) -> int:
        return sum(each.size for each in self.components.values())


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
    query_metrics: DataFrame, baseline: str, drawn: Resampling, keys: list[str], groups: Mapping[Key, MeasuredGroup]
) -> list[Entry]:
    """Every measure of every system over the queries of large groups, and every system against the baseline.

    The driver receives a number for each resample, measure and system. At most ``MOST_RESAMPLES`` are drawn.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of these groups.
        baseline: system to compare the others with.
        drawn: parameters of the resampling.
        keys: columns that identify a group of queries.
        groups: the groups, by key.

    Returns:
        Entries of ``METRICS`` with the key columns and the further columns of ``COMPARISONS``.
    """
    if not groups:
        return []
    drawn = drawn._replace(resamples=min(drawn.resamples, MOST_RESAMPLES))
    layouts = {key: _Layout.of(group, baseline) for key, group in groups.items()}
    schema = ", ".join([*(f"{name} string" for name in keys), f"{_BLOCK} int", f"{_SUMS} array<double>"])
    sums = _queries(query_metrics, keys).mapInArrow(_adding(layouts, drawn, keys), schema)
    figures = sums.groupBy(*keys, _BLOCK).applyInPandas(_measuring(layouts, keys), schema)
    found: dict[Key, dict[int, NDArray[np.float64]]] = {key: {} for key in groups}
    for row in figures.collect():
        found[tuple(row[name] for name in keys)][row[_BLOCK]] = _array(row[_SUMS])
    return [
        {**dict(zip(keys, key, strict=True)), **entry}
        for key, layout in layouts.items()
        for entry in _entries(layout, found[key], groups[key].queries, drawn)
    ]


def _queries(query_metrics: DataFrame, keys: list[str]) -> DataFrame:
    """A row for each query: hash, and the values and components of all measures and systems, in the layout's order."""
    ordered = F.array_sort(F.collect_list(F.struct("measure", "system", "value", "components")))
    queries = query_metrics.groupBy(*keys, "site", "query_id").agg(ordered.alias("measured"))
    return queries.select(
        *keys,
        F.xxhash64("site", "query_id").alias("hash"),
        F.col("measured.value").alias("values"),
        F.flatten("measured.components").alias("components"),
    )


def _adding(
    layouts: Mapping[Key, _Layout], drawn: Resampling, keys: list[str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def add(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np

        sums: dict[Key, PoissonSums] = {}
        outcomes: dict[Key, NDArray[np.float64]] = {}
        for batch in batches:
            for key, rows in _by_key(pa.Table.from_batches([batch]), keys):
                layout = layouts[key]
                if key not in sums:
                    sums[key] = PoissonSums(drawn.resamples, layout.width, drawn.seed)
                    outcomes[key] = np.zeros((len(layout.components), len(layout.systems), 3))
                sums[key].add(rows["hash"].to_numpy(), _matrix(rows["components"]))
                values = _matrix(rows["values"]).reshape(rows.num_rows, *outcomes[key].shape[:2])
                better = np.sign(values - values[:, :, layout.baseline, None])
                outcomes[key] += np.stack([(better == sign).sum(axis=0) for sign in (1, -1, 0)], axis=-1)
        for key, found in sums.items():
            for number, block in enumerate([outcomes[key], *found.blocks()], start=_OUTCOMES):
                yield _row(key, keys, number, block)

    return add


def _measuring(
    layouts: Mapping[Key, _Layout], keys: list[str]
) -> Callable[[tuple[Any, ...], pd.DataFrame], pd.DataFrame]:
    """Sums the parts of a block, and computes the measures of its resamples."""

    def measure(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        import numpy as np
        import pandas as pd

        *group, number = key
        layout = layouts[tuple(map(str, group))]
        total = np.sum(np.stack(rows[_SUMS].to_list()), axis=0)
        if number == 0:
            digits = total.reshape(-1, layout.width + 1)
            total = fractions(layout.components, from_digits(digits)[None]).ravel()
        elif number != _OUTCOMES:
            total = fractions(layout.components, total.reshape(-1, layout.width + 1)).ravel()
        return pd.DataFrame({**dict(zip(keys, group, strict=True)), _BLOCK: number, _SUMS: [total]})

    return measure


def _entries(
    layout: _Layout, found: Mapping[int, NDArray[np.float64]], queries: int, drawn: Resampling
) -> Iterator[Entry]:
    import numpy as np

    shape = len(layout.components), len(layout.systems)
    outcomes = found[_OUTCOMES].reshape(*shape, 3).astype(int)
    value = found[0].reshape(shape)
    resampled = np.concatenate([found[number].reshape(-1, *shape) for number in sorted(found) if number > 0])
    tail = (1 - drawn.confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    base = [layout.baseline]
    p_values = shift_test(value - value[:, base], resampled - resampled[:, :, base])
    others = [place for place in range(shape[1]) if place != layout.baseline]
    for number, measure in enumerate(layout.components):
        adjusted = dict(zip(others, holm(p_values[number, others]).tolist(), strict=True))
        for place, system in enumerate(layout.systems):
            yield {
                "system": system,
                "measure": str(measure),
                "value": float(value[number, place]),
                "low": float(low[number, place]),
                "high": float(high[number, place]),
                "confidence": drawn.confidence,
                "queries": queries,
                "resamples": drawn.resamples,
                "seed": drawn.seed,
                **_comparison(layout, value[number], adjusted.get(place), outcomes[number, place], place),
            }


def _comparison(
    layout: _Layout, values: NDArray[np.float64], p_value: float | None, outcomes: NDArray[np.int64], place: int
) -> Entry:
    names = ("baseline", "difference", "p_value", "wins", "losses", "ties")
    if p_value is None:
        return dict.fromkeys(names)
    difference = float(values[place] - values[layout.baseline])
    return dict(zip(names, (layout.systems[layout.baseline], difference, p_value, *outcomes.tolist()), strict=True))


def _by_key(rows: pa.Table, keys: list[str]) -> Iterator[tuple[Key, pa.Table]]:
    for key in rows.select(keys).group_by(keys).aggregate([]).to_pylist():
        mask = reduce(pc.and_, [pc.equal(rows[name], key[name]) for name in keys])
        yield tuple(key[name] for name in keys), rows.filter(mask)


def _matrix(lists: pa.ChunkedArray) -> NDArray[np.float64]:
    found: NDArray[np.float64] = pc.list_flatten(lists).to_numpy().reshape(len(lists), -1)
    return found


def _row(key: Key, keys: list[str], block: int, sums: NDArray[np.float64]) -> pa.RecordBatch:
    named = {name: [value] for name, value in zip(keys, key, strict=True)}
    columns = {**named, _BLOCK: pa.array([block], pa.int32()), _SUMS: pa.array([sums.ravel()], pa.list_(pa.float64()))}
    return pa.RecordBatch.from_pydict(columns)


def _array(values: Sequence[float]) -> NDArray[np.float64]:
    import numpy as np

    return np.array(values, dtype=np.float64)
