"""The table of systems by site."""

from __future__ import annotations

from cqa_spark.reports.kit.grid import Cell, Grid, value_cell
from cqa_spark.reports.kit.numbers import count
from cqa_spark.reports.kit.significance import verdict
from cqa_spark.reports.preferred_answer.content import AnswerStudy, Figure
from cqa_spark.reports.preferred_answer.grids.cells import marked
from cqa_spark.reports.preferred_answer.labels import label
from cqa_spark.reports.preferred_answer.wording import too_small


def by_site(study: AnswerStudy) -> Grid:
    """The main measure of each system on each site."""
    main = study.measures[0]
    sizes = {site: study.figure(study.baseline, site, main).queries for site in study.sites}

    def cell(figure: Figure) -> Cell:
        role = "" if figure.system == study.baseline else verdict(figure)
        found = value_cell(figure.value, figure.low, figure.high)
        return Cell(found.text, found.small, role)

    significant = f"Coloured if the difference from {label(study.baseline)} on the site is statistically significant."
    return Grid(
        title=f"{main} by site",
        about=" ".join([significant, *too_small(study)]),
        headings=("system", *(f"{site} ({count(size)})" for site, size in sizes.items())),
        rows=tuple(
            (marked(system), tuple(cell(study.figure(system, site, main)) for site in study.sites))
            for system in study.systems
        ),
    )
