"""Renders the changes between two runs as an HTML page."""

from __future__ import annotations

from cqa_spark.reports.comparison.content import Comparison
from cqa_spark.reports.comparison.wording import changed_columns
from cqa_spark.reports.kit.page import render_page


def render_comparison(comparison: Comparison, lake: str, code_version: str) -> str:
    """Render the page.

    Args:
        comparison: content of the page.
        lake: location of the lake.
        code_version: version of the code that compared the runs.
    """
    return render_page(
        "comparison/page.html.j2",
        {"changed_columns": changed_columns},
        comparison=comparison,
        lake=lake,
        code_version=code_version,
    )
