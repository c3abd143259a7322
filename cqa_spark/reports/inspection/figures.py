"""The figures of one site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from cqa_spark.reports.figures import Drawing
from cqa_spark.reports.inspection.collect.posts import HIGHEST_SCORE, LOWEST_SCORE
from cqa_spark.reports.inspection.content import SiteFacts
from cqa_spark.reports.inspection.plots import plot_months, plot_score_counts, plot_tags
from cqa_spark.reports.plots import NARROW, WIDE


@dataclass(frozen=True)
class SiteFigures:
    """What is drawn of a site; a figure without data is None."""

    months: Drawing | None
    scores: Drawing | None
    tags: Drawing | None


def draw_site(site: SiteFacts, number: int) -> SiteFigures:
    """Draw what there is data for.

    Args:
        site: the site.
        number: its place on the page, which makes the names of its figures unique.
    """
    return SiteFigures(
        months=_both(lambda name, width: plot_months(site.months, name, width), f"months{number}")
        if site.months
        else None,
        scores=Drawing(plot_score_counts(site.scores, LOWEST_SCORE, HIGHEST_SCORE, f"scores{number}", NARROW))
        if site.scores
        else None,
        tags=Drawing(plot_tags(site.tags, f"tags{number}", NARROW)) if site.tags else None,
    )


def _both(draw: Callable[[str, int], Markup], name: str) -> Drawing:
    return Drawing(narrow=draw(f"{name}-narrow", NARROW), wide=draw(f"{name}-wide", WIDE))
