"""Prediction files side by side, as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cqa_spark.evaluation.compare_files import FileComparison
from cqa_spark.reports.grid import Cell, Grid
from cqa_spark.reports.wording import count, interval, p_value, points, signed_points, verdict


def file_comparison_grid(found: Sequence[FileComparison], confidence: float) -> Grid:
    """A row for every measure and file.

    Args:
        found: measure by measure; the first file is what the others are tested against.
        confidence: coverage of the intervals.
    """
    files = list(dict.fromkeys(each.file for each in found))
    names = {file: Path(file).name for file in files}
    if len(set(names.values())) < len(files):
        names = {file: file for file in files}
    return Grid(
        title=f"{count(found[0].queries)} queries, in points",
        about=(
            f"Beside each value its {confidence:.0%} bootstrap interval over queries; the difference is to "
            f"{names[files[0]]}, and the two-sided p-value that of a paired randomization test."
        ),
        headings=("measure", "file", "value", "difference"),
        rows=tuple((each.measure, (Cell(names[each.file]), *_figures(each, files[0]))) for each in found),
    )


def _figures(found: FileComparison, first: str) -> tuple[Cell, Cell]:
    value = Cell(points(found.value), interval(found.low, found.high))
    if found.file == first:
        return value, Cell("")
    return value, Cell(signed_points(found.difference), p_value(found.p_value), verdict(found))
