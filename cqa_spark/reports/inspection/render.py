"""An inspection or a comparison as one HTML file that needs nothing else."""

from __future__ import annotations

from jinja2 import Environment

from cqa_spark.reports import wording as numbers
from cqa_spark.reports.inspection import wording
from cqa_spark.reports.inspection.content import Inspection
from cqa_spark.reports.inspection.diff import Comparison
from cqa_spark.reports.inspection.diff_console import changed_columns
from cqa_spark.reports.inspection.figures import draw_site
from cqa_spark.reports.page import page_environment

SITES = 20
"""Sites with a part of their own, those with the most rows; the table has all of them."""


def render_inspection(inspection: Inspection) -> str:
    """The page; the same inspection gives the same bytes.

    Args:
        inspection: what the page shows. Its texts come from a forum and are escaped here.
    """
    shown = [(site, draw_site(site, number)) for number, site in enumerate(inspection.sites[:SITES])]
    template = _environment().get_template("inspection.html.j2")
    return template.render(inspection=inspection, run=inspection.run, shown=shown)


def render_comparison(comparison: Comparison, lake: str, code_version: str) -> str:
    """The page of what changed from one run to another.

    Args:
        comparison: what changed.
        lake: where both runs lie.
        code_version: the version of the code that compared them.
    """
    template = _environment().get_template("comparison.html.j2")
    return template.render(comparison=comparison, lake=lake, code_version=code_version)


def _environment() -> Environment:
    environment = page_environment()
    environment.filters |= {name: getattr(numbers, name) for name in ("count", "readable")}
    environment.filters |= {
        name: getattr(wording, name) for name in ("spread", "threads_sentence", "files_sentence", "file_name", "place")
    }
    environment.filters["changed_columns"] = changed_columns
    environment.globals |= {"percent": wording.percent, "period": wording.period, "counted": numbers.counted}
    return environment
