"""The figures of one site's posts."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.inspection.content import SiteFacts
from cqa_spark.reports.inspection.posts.collect import HIGHEST_SCORE, LOWEST_SCORE
from cqa_spark.reports.inspection.posts.plots.months import plot_months
from cqa_spark.reports.inspection.posts.plots.scores import plot_score_counts
from cqa_spark.reports.inspection.posts.plots.tags import plot_tags
from cqa_spark.reports.kit.drawing import Drawing, draw_both
from cqa_spark.reports.kit.plots.svg import NARROW


@dataclass(frozen=True)
class SiteFigures:
    """The figures of a site; None without data."""

    months: Drawing | None
    scores: Drawing | None
    tags: Drawing | None


def draw_site(site: SiteFacts, number: int) -> SiteFigures:
    """Draw the figures that have data.

    Args:
        site: the site.
        number: position of the site on the page, which makes the figure names unique.
    """
    return SiteFigures(
        months=draw_both(lambda name, width: plot_months(site.months, name, width), f"months{number}")
        if site.months
        else None,
        scores=Drawing(plot_score_counts(site.scores, LOWEST_SCORE, HIGHEST_SCORE, f"scores{number}", NARROW))
        if site.scores
        else None,
        tags=Drawing(plot_tags(site.tags, f"tags{number}", NARROW)) if site.tags else None,
    )
