"""The comparison of prediction files, as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path

from cqa_spark.evaluation.compare_rankings import RankingComparison
from cqa_spark.reports.kit.numbers import count, p_value
from cqa_spark.reports.kit.tables import NO_VALUE, Cell, Grid, difference_cell, value_cell


def file_comparison_grid(comparisons: Sequence[RankingComparison], confidence: float) -> Grid:
    """A row for each measure and file.

    Args:
        comparisons: by measure; the first file is the reference of the tests.
        confidence: confidence level of the intervals.
    """
    files = list(dict.fromkeys(compared.file for compared in comparisons))
    names = {file: Path(file).name for file in files}
    if len(set(names.values())) < len(files):
        names = {file: file for file in files}
    without_labels = {names[compared.file]: None for compared in comparisons if isnan(compared.value)}
    of_correlations = not all(isnan(compared.williams) for compared in comparisons)
    return Grid(
        title=f"{count(comparisons[0].queries)} queries, in percentage points",
        about=(
            f"Values have a {confidence:.0%} bootstrap interval over queries. Differences are from "
            f"{names[files[0]]}, with the two-sided p-value of a paired randomization test, adjusted by Holm."
            + (f" The labels of a gold file are no predictions: {', '.join(without_labels)}." if without_labels else "")
        ),
        headings=("measure", "file", "value", "difference", *(["Williams' test"] if of_correlations else [])),
        rows=tuple(
            (
                compared.measure,
                (
                    Cell(names[compared.file]),
                    *_cells(compared, files[0]),
                    *([_williams(compared, files[0])] * of_correlations),
                ),
            )
            for compared in comparisons
        ),
        texts=("file",),
    )


def _williams(compared: RankingComparison, first: str) -> Cell:
    if compared.file == first:
        return Cell("")
    return NO_VALUE if isnan(compared.williams) else Cell(p_value(compared.williams))


def _cells(compared: RankingComparison, first: str) -> tuple[Cell, Cell]:
    value = NO_VALUE if isnan(compared.value) else value_cell(compared.value, compared.low, compared.high)
    if compared.file == first:
        return value, Cell("")
    return value, NO_VALUE if isnan(compared.difference) else difference_cell(compared)
