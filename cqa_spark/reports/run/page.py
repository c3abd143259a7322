"""Renders the report of a run as an HTML page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cqa_spark.reports.experiments.seeds import seeds_table
from cqa_spark.reports.experiments.wording import cross_validation_conclusion
from cqa_spark.reports.explanation.wording import feature_value, signed
from cqa_spark.reports.kit.page import render_page
from cqa_spark.reports.kit.significance import SIGNIFICANT
from cqa_spark.reports.night.grids import night_grids
from cqa_spark.reports.preferred_answer.grids import grids
from cqa_spark.reports.preferred_answer.wording import conclusions
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.figures import draw_figures
from cqa_spark.reports.run.scores.content import FEWEST
from cqa_spark.reports.run.sections import sections
from cqa_spark.reports.run.summary import summary
from cqa_spark.reports.run.systems.wording import difference_interval, evidence

_FILTERS: Mapping[str, Callable[..., str]] = {
    "feature_value": feature_value,
    "signed": signed,
    "difference_interval": difference_interval,
    "evidence": evidence,
    "cross_validation_conclusion": cross_validation_conclusion,
}


def render(report: RunReport) -> str:
    """Render the page; the same report gives the same text.

    Args:
        report: content of the page. Its texts come from a forum and are escaped here.
    """
    figures = draw_figures(report)
    return render_page(
        "run/page.html.j2",
        _FILTERS,
        report=report,
        run=report.run,
        evaluation=report.evaluation,
        figures=figures,
        sections=sections(report, figures),
        summary=summary(report),
        significant=SIGNIFICANT,
        fewest=FEWEST,
        night=night_grids(report.night) if report.night else (),
        grids=grids(report.study, report.ablations, report.seeds) if report.study else (),
        seeds=seeds_table(report.seeds, report.evaluation.main_measure),
        conclusions=conclusions(report.study) if report.study else (),
    )
