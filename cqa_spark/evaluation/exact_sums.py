"""Sums of the components of queries that do not depend on the order of the queries, added up where they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.measures import parse_measure

_DIGIT = 2**32
_DIGITS = 3


def measure_totals(query_metrics: DataFrame, measure: str, by: Sequence[str]) -> dict[tuple[Any, ...], float]:
    """A measure over all queries of each group, bit-equal for any partitions.

    Components are summed as whole numbers and two digits of base 2 ** 32. Sums are therefore exact for components that
    are multiples of 2 ** -64, as 64-bit floats above 2 ** -12 are.

    Args:
        query_metrics: rows of ``QUERY_METRICS`` of this measure.
        measure: its display name.
        by: columns that identify a group.

    Returns:
        The measure by the values of these columns.
    """
    components = query_metrics.select(*by, F.posexplode("components").alias("place", "component"))
    sums = [F.sum(digit.cast("long")).alias(f"digit{number}") for number, digit in enumerate(_digits("component"))]
    rows = components.groupBy(*by, "place").agg(F.count(F.lit(1)).alias("queries"), *sums).orderBy("place").collect()
    totals: dict[tuple[Any, ...], list[float]] = {}
    queries = {tuple(row[name] for name in by): row["queries"] for row in rows}
    for row in rows:
        exact = sum(Fraction(row[f"digit{number}"], _DIGIT**number) for number in range(_DIGITS))
        totals.setdefault(tuple(row[name] for name in by), []).append(float(exact))
    parsed = parse_measure(measure)
    return {group: parsed.aggregate(sums, queries[group]) for group, sums in totals.items()}


def _digits(name: str) -> list[Column]:
    """Whole numbers whose sum is the value, when each is divided by the next power of the base."""
    found, rest = [], F.col(name)
    for _ in range(_DIGITS):
        found.append(F.rint(rest))
        rest = (rest - found[-1]) * _DIGIT
    return found
