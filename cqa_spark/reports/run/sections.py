"""The sections of the page."""

from __future__ import annotations

from typing import NamedTuple

from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.figures import Figures


class Section(NamedTuple):
    """One section: its id, its title in the navigation, and its template."""

    id: str
    title: str
    template: str


def sections(report: RunReport, figures: Figures) -> tuple[Section, ...]:
    """The sections that have content, in the order of the page."""
    return tuple(
        section
        for has_content, section in (
            (report.cautions, Section("cautions", "Cautions", "run/cautions.html.j2")),
            (report.night, Section("night", "Checks", "night/section.html.j2")),
            (report.study, Section("preferred-answer", "Published", "preferred_answer/section.html.j2")),
            (report.evaluation.measurements, Section("systems", "Systems", "run/systems/section.html.j2")),
            (figures.similarity, Section("similarity", "Sets", "similarity/section.html.j2")),
            (figures.differences, Section("differences", "Differences", "run/differences/section.html.j2")),
            (figures.scores, Section("scores", "Scores", "run/scores/section.html.j2")),
            (figures.learned, Section("features", "Features", "run/features/section.html.j2")),
            (figures.experiments or report.seeds, Section("experiments", "Experiments", "experiments/section.html.j2")),
            (report.stories, Section("queries", "Queries", "run/queries/section.html.j2")),
            (report.pairs, Section("pairs", "Pairs", "run/pairs/section.html.j2")),
            (report.intake.rows_in, Section("intake", "Input", "run/intake/section.html.j2")),
            (True, Section("run", "Run", "run/record/section.html.j2")),
        )
        if has_content
    )
