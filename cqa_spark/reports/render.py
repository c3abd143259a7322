"""The report as one HTML file that needs nothing else: no network, no script, hostile text stays text."""

from __future__ import annotations

from jinja2 import Environment

from cqa_spark.reports import wording
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.content.stories import QueryStory, RankedCandidate
from cqa_spark.reports.figures import draw_figures
from cqa_spark.reports.night.grids import night_grids
from cqa_spark.reports.page import page_environment
from cqa_spark.reports.preferred_answer.grids import grids
from cqa_spark.reports.preferred_answer.wording import conclusions

_FILTERS = (
    "points",
    "signed_points",
    "signed",
    "feature_value",
    "score",
    "p_value",
    "count",
    "duration",
    "size",
    "readable",
    "verdict",
    "no_choice_between",
)


def render(report: RunReport) -> str:
    """The page; the same report gives the same bytes.

    Args:
        report: what the page shows. Its texts come from a forum and are escaped here.
    """
    template = _environment().get_template("report.html.j2")
    return template.render(
        report=report,
        run=report.run,
        evaluation=report.evaluation,
        figures=draw_figures(report),
        summary=wording.summary(report),
        significant=wording.SIGNIFICANT,
        night=night_grids(report.night) if report.night else (),
        grids=grids(report.study, report.ablations) if report.study else (),
        conclusions=conclusions(report.study) if report.study else (),
    )


def given_order(story: QueryStory) -> tuple[RankedCandidate, ...]:
    """The story's candidates as the forum or search engine gave them; empty where not all of those are shown."""
    ordered = sorted(story.candidates, key=lambda candidate: candidate.initial_rank or 0)
    complete = [candidate.initial_rank for candidate in ordered] == list(range(1, len(ordered) + 1))
    return tuple(ordered) if complete else ()


def _environment() -> Environment:
    environment = page_environment()
    environment.filters |= {name: getattr(wording, name) for name in _FILTERS}
    environment.filters["given_order"] = given_order
    return environment
