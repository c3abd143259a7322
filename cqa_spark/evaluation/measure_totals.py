"""Measures over the queries of each group, on Spark; bit-equal for any partitions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.exact_sums import digits, from_digits
from cqa_spark.evaluation.measures import parse_measure

_DIGITS = 3
"""Components above 2 ** -12 are then added exactly."""


def measure_totals(measured: DataFrame, measure: str, by: Sequence[str]) -> dict[tuple[Any, ...], float]:
    """A measure over all queries of each group; components are added up where they are stored.

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
