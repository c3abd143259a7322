"""Systems evaluated on the same queries, paired by query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


class MeasuredGroup(NamedTuple):
    """A group of queries.

    Attributes:
        widths: its measures in the order of their names, with the number of their components.
        systems: the evaluated systems.
        queries: number of queries.
    """

    widths: dict[Measure, int]
    systems: list[str]
    queries: int


class MeasuredGroups(NamedTuple):
    """The groups of queries, and the measures that are undefined for them.

    Attributes:
        by_key: each group, without undefined measures; a group without any measure is left out.
        undefined: key of the group and name of each measure that is undefined, for lack of a relevant candidate.
    """

    by_key: dict[tuple[str, ...], MeasuredGroup]
    undefined: list[tuple[str, ...]]


def measured_groups(query_metrics: DataFrame, baseline: str, keys: list[str]) -> MeasuredGroups:
    """The groups of queries; the driver receives a row per group and measure.

    Args:
        query_metrics: rows of ``QUERY_METRICS``, stored or cached.
        baseline: system to compare the others with.
        keys: columns that identify a group of queries.

    Raises:
        ContractError: a group has no rankings of the baseline, or systems with different queries.
    """
    query = F.xxhash64("site", "query_id")
    of_baseline = F.col("system") == baseline
    # Identifies the set of queries in any order: their number, and the combination of their hashes.
    all_queries = F.struct(F.count("*").alias("count"), F.bit_xor(query).alias("hash"))
    systems = query_metrics.groupBy(*keys, "measure", "system").agg(
        all_queries.alias("queries"),
        F.max(F.size("components")).alias("width"),
        F.max(F.element_at("components", -1)).alias("last"),
    )
    groups = systems.groupBy(*keys, "measure").agg(
        F.max(of_baseline).alias("has_baseline"),
        F.collect_set("queries").alias("queries"),
        F.max("width").alias("width"),
        F.max("last").alias("last"),
        F.array_sort(F.collect_set("system")).alias("systems"),
    )
    found = MeasuredGroups({}, [])
    queries: dict[tuple[str, ...], list[Row]] = {}
    for group in groups.orderBy(*keys, "measure").collect():
        key = tuple(group[name] for name in keys)
        where = f"{group.measure} of {group.task}, {group.split}"
        if not group.has_baseline:
            raise ContractError(
                f"{where}: baseline {baseline} is not among the systems",
                "rank with the baseline as well, or name another baseline",
            )
        if len(group.queries) > 1 or queries.setdefault(key, group.queries) != group.queries:
            raise ContractError(
                f"{where}: the systems were evaluated on different queries",
                "compute query_metrics of all systems and measures together, from the same examples",
            )
        measure = parse_measure(group.measure)
        if measure.needs_relevant and group.last == 0:
            found.undefined.append((*key, group.measure))
            continue
        known = found.by_key.setdefault(key, MeasuredGroup({}, group.systems, group.queries[0]["count"]))
        known.widths[measure] = group.width
    return found


def by_query(query_metrics: DataFrame, keys: list[str]) -> DataFrame:
    """One row per query of a system, with values and components of all its measures, in the order of their names.

    Args:
        query_metrics: rows of ``QUERY_METRICS``.
        keys: columns that name a group of queries.
    """
    by_name = F.array_sort(F.collect_list(F.struct("measure", "value", "components")))
    queries = query_metrics.groupBy(*keys, "system", "site", "query_id").agg(by_name.alias("measured"))
    values, components = F.col("measured.value"), F.flatten("measured.components")
    return queries.withColumns({"values": values, "components": components}).drop("measured")


class PairedSystems(NamedTuple):
    """One group of queries: systems in alphabetical order; by measure, values and components of its queries.

    Attributes:
        names: shape (systems,).
        values: by measure, shape (systems, queries); queries in the order of site and id.
        components: by measure, shape (systems, queries, components).
    """

    names: NDArray[np.object_]
    values: dict[Measure, NDArray[np.float64]]
    components: dict[Measure, NDArray[np.float64]]

    @classmethod
    def of(cls, rows: pd.DataFrame, widths: Mapping[Measure, int]) -> PairedSystems:
        """Order the queries, so that all systems' arrays are paired.

        Args:
            rows: result of ``by_query`` for one group of queries.
            widths: the group's measures, as returned by ``measured_groups``.
        """
        import numpy as np

        ordered = rows.sort_values(["system", "site", "query_id"], kind="stable")
        names = np.array(sorted(ordered["system"].unique()), dtype=object)
        values, components = (
            np.stack(ordered[name].to_list()).reshape(len(names), -1, width)
            for name, width in (("values", len(widths)), ("components", sum(widths.values())))
        )
        parts = np.split(components, np.cumsum([*widths.values()])[:-1], axis=-1)
        return cls(
            names,
            dict(zip(widths, np.moveaxis(values, -1, 0), strict=True)),
            dict(zip(widths, parts, strict=True)),
        )

    def total(self, measure: Measure) -> NDArray[np.float64]:
        """The measure of each system over all queries."""
        import numpy as np

        return np.array([measure.total(queries.tolist()) for queries in self.components[measure]])
