"""The comparison of prediction files, as a grid."""

from collections.abc import Sequence
from math import isnan

from cqa_spark.evaluation.compare_files import RankingComparison
from cqa_spark.evaluation.files.pairs import distinct_labels
from cqa_spark.reports.kit.tables import NO_VALUE, Cell, Grid, difference_cell, value_cell
from cqa_spark.reports.kit.wording import count, p_value


def file_comparison_grid(comparisons: Sequence[RankingComparison], confidence: float) -> Grid:
    """A row for each measure, baseline and file.

    Args:
        comparisons: by measure and baseline.
        confidence: confidence level of the intervals.
    """
    names = distinct_labels([compared.file for compared in comparisons])
    without_labels = {names[compared.file]: None for compared in comparisons if isnan(compared.value)}
    of_correlations = not all(isnan(compared.williams) for compared in comparisons)
    baselines = list(dict.fromkeys(compared.baseline for compared in comparisons))
    columns = {
        "file": lambda compared: Cell(names[compared.file]),
        "value": _value,
        **({"baseline": lambda compared: Cell(names[compared.baseline])} if len(baselines) > 1 else {}),
        "difference": lambda compared: _tested(compared, difference_cell(compared)),
        "better/equal/worse": _outcomes,
        "effect size": lambda compared: _number(compared, compared.effect_size, f"{compared.effect_size:+.2f}"),
        **({"Williams' test": _williams} if of_correlations else {}),
    }
    return Grid(
        title=f"{count(comparisons[0].queries)} queries, in percentage points",
        about=(
            f"Values have a {confidence:.0%} bootstrap interval over queries. Differences are from "
            f"{', '.join(names[baseline] for baseline in baselines)}, with the two-sided p-value of a paired "
            "randomization test, adjusted by Holm for the files that are tested against the baseline; then the queries "
            "on which the file is better, equal and worse, and the mean of the differences in units of their standard "
            "deviation." + (f" These files predict no labels: {', '.join(without_labels)}." if without_labels else "")
        ),
        headings=("measure", *columns),
        rows=tuple((compared.measure, tuple(cell(compared) for cell in columns.values())) for compared in comparisons),
        texts=("file", "baseline"),
    )


def _value(compared: RankingComparison) -> Cell:
    return NO_VALUE if isnan(compared.value) else value_cell(compared.value, compared.low, compared.high)


def _tested(compared: RankingComparison, cell: Cell) -> Cell:
    """The cell of a test; empty for the baseline itself."""
    if compared.file == compared.baseline:
        return Cell("")
    return NO_VALUE if isnan(compared.difference) else cell


def _outcomes(compared: RankingComparison) -> Cell:
    if compared.wins is None:
        return _tested(compared, NO_VALUE)
    return _tested(compared, Cell(f"{compared.wins}/{compared.ties}/{compared.losses}"))


def _number(compared: RankingComparison, value: float, text: str) -> Cell:
    return _tested(compared, NO_VALUE if isnan(value) else Cell(text))


def _williams(compared: RankingComparison) -> Cell:
    return _number(compared, compared.williams, p_value(compared.williams))
