"""The table of transfer between sites."""

from __future__ import annotations

from collections.abc import Iterator

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.kit.grid import Cell, Grid, difference_cell, value_cell
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.grids.cells import marked


def transferred(study: AnswerStudy) -> Grid:
    """Each system on each site, trained with and without the site; no rows without such an experiment."""
    return Grid(
        title="Transfer between sites",
        about=(
            f"{study.measures[0]} on each site, with the system trained on all sites, on this site only, or on the "
            "other sites only. The paired test compares training on the other sites with training on all sites."
        ),
        headings=("system and site", "all sites", "this site", "other sites", "others minus all"),
        rows=tuple(_rows(study)),
    )


def _rows(study: AnswerStudy) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for system in dict.fromkeys(each.system for each in study.transfers):
        for site in (*study.sites, EVERY):
            of = {each.trained_on: each for each in study.transfers if (each.system, each.site) == (system, site)}
            found = [of[trained_on] for trained_on in ("all", "own", "others")]
            cells = [value_cell(each.value, each.low, each.high) for each in found]
            name = "all sites" if site == EVERY else site
            yield f"{marked(system)}: {name}", (*cells, difference_cell(of["others"]))
