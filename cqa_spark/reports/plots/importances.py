"""Horizontal bars: the features that count most, coloured by their group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from cqa_spark.reports.content.measures import FeatureImportance
from cqa_spark.reports.palette import sentinel
from cqa_spark.reports.plots.svg import drawing, new_axes, short, to_svg
from cqa_spark.reports.wording import MINUS

_ROW = 21
_AXIS = 26
_SIGN = {1: " +", -1: f" {MINUS}", 0: ""}


@drawing
def plot_importances(
    importances: Sequence[FeatureImportance], roles: Mapping[str, str], name: str, width: int
) -> Markup:
    """Each feature's share of the total, in per cent.

    Args:
        importances: of one system, most important first; at least one.
        roles: colour role of every group.
        name: unique on the page.
        width: in CSS pixels.
    """
    figure, axes = new_axes(width, _ROW * len(importances) + _AXIS)
    shares = [item.importance * 100 for item in importances]
    axes.barh(range(len(shares)), shares, height=0.66, color=[sentinel(roles[item.group]) for item in importances])
    for row, (item, share) in enumerate(zip(importances, shares, strict=True)):
        axes.annotate(
            f"{share:.1f}{_SIGN[item.direction]}",
            (share, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=11,
            color=sentinel("muted"),
        )
    axes.set_yticks(range(len(shares)), [short(item.feature) for item in importances])
    axes.tick_params(axis="y", labelcolor=sentinel("ink"))
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.margins(x=0.16)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return to_svg(figure, name, _description(importances))


def _description(importances: Sequence[FeatureImportance]) -> str:
    shares = "; ".join(f"{item.feature} {item.importance * 100:.1f} %" for item in importances[:10])
    return f"Share of the total importance of each feature: {shares}."
