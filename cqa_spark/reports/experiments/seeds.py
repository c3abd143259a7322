"""The table of seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean, stdev

from cqa_spark.reports.experiments.content import SeedValues
from cqa_spark.reports.kit.grid import Cell, Grid
from cqa_spark.reports.kit.numbers import points


def seeds_table(found: Sequence[SeedValues], measure: str, label: Callable[[str], str] = str) -> Grid:
    """Each system over several seeds; no rows for systems with one.

    Args:
        found: values of each system.
        measure: name of the measure.
        label: displayed name of a system.
    """
    return Grid(
        title="Seeds",
        about=(
            f"{measure} of the same system trained with several seeds: the part of a result that is due to random "
            "samples of rows, features or weights in training. The first seed is that of the recipe."
        ),
        headings=("system", "seeds", "first seed", "mean", "standard deviation", "lowest", "highest"),
        rows=tuple((label(each.system), _cells(each.values)) for each in found if len(each.values) > 1),
    )


def _cells(values: Sequence[float]) -> tuple[Cell, ...]:
    shown = (values[0], mean(values), stdev(values), min(values), max(values))
    return Cell(str(len(values))), *(Cell(points(value)) for value in shown)
