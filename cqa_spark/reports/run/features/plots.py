"""Bar chart of the most important features, coloured by feature group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from cqa_spark.reports.kit.numbers import MINUS
from cqa_spark.reports.kit.plots.bars import named_bars
from cqa_spark.reports.kit.plots.svg import WIDE, drawing, to_svg
from cqa_spark.reports.run.features.content import FeatureImportance

_LETTERS = 62
"""Characters on a line of a feature's name beside a wide plot."""

LETTERS_ABOVE = 54
"""Characters on a line of a feature's name above a bar of a narrow plot."""

LINES = 2
"""Largest number of lines of a feature's name."""

_SIGN = {1: " +", -1: f" {MINUS}", 0: ""}


@drawing
def plot_importances(
    importances: Sequence[FeatureImportance], roles: Mapping[str, str], name: str, width: int
) -> Markup:
    """Draw the share of each feature of the total importance, in percent.

    Args:
        importances: features of one system, most important first; at least one.
        roles: colour role of each group.
        name: unique on the page.
        width: in CSS pixels.
    """
    shares = [item.importance * 100 for item in importances]
    wide = width >= WIDE
    figure = named_bars(
        [item.about or item.feature for item in importances],
        shares,
        [f"{share:.1f}{_SIGN[item.direction]}" for item, share in zip(importances, shares, strict=True)],
        width,
        row=30 if wide else 48,
        thickness=0.5 if wide else 0.27,
        font=11,
        gap=4,
        room=0.16,
        colours=[roles[item.group] for item in importances],
        letters=_LETTERS if wide else LETTERS_ABOVE,
        lines=LINES,
        names_above=not wide,
    )
    return to_svg(figure, name, _description(importances))


def _description(importances: Sequence[FeatureImportance]) -> str:
    shares = "; ".join(f"{item.label} {item.importance * 100:.1f} %" for item in importances[:10])
    return f"Share of total importance by feature: {shares}."
