"""Renders an inspection as an HTML page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cqa_spark.reports.inspection.content import Inspection
from cqa_spark.reports.inspection.posts.figures import draw_site
from cqa_spark.reports.inspection.wording import files_sentence, period, place, spread, threads_sentence
from cqa_spark.reports.kit.page import render_page

SITES = 20
"""Number of sites with a section of their own, those with the most rows; the table lists all sites."""

_FILTERS: Mapping[str, Callable[..., str]] = {
    "spread": spread,
    "threads_sentence": threads_sentence,
    "files_sentence": files_sentence,
    "place": place,
    "period": period,
}


def render_inspection(inspection: Inspection) -> str:
    """Render the page; the same inspection gives the same text.

    Args:
        inspection: content of the page. Its texts come from a forum and are escaped here.
    """
    shown = [(site, draw_site(site, number)) for number, site in enumerate(inspection.sites[:SITES])]
    return render_page("inspection/page.html.j2", _FILTERS, inspection=inspection, run=inspection.run, shown=shown)
