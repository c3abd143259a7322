"""The tables of the experiment, each beside the published figures where there are some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.experiments import Ablation
from cqa_spark.reports.grid import Cell, Grid
from cqa_spark.reports.preferred_answer.content import AnswerStudy, Figure, Search, Transfer
from cqa_spark.reports.preferred_answer.labels import (
    AS_OF,
    SNAPSHOT,
    is_baseline,
    label,
    looks_ahead,
    ranker_and_variant,
    ranker_label,
)
from cqa_spark.reports.preferred_answer.published import TABLE_4, TABLE_5, TABLE_5_ALL, Published
from cqa_spark.reports.preferred_answer.wording import of_part, outcome, too_small
from cqa_spark.reports.wording import MISSING, Tested, count, interval, p_value, points, signed_points, verdict

_NOTHING = Cell(MISSING, role="muted")


def grids(study: AnswerStudy, ablations: Sequence[Ablation]) -> tuple[Grid, ...]:
    """All tables that there is something to say in."""
    found = [table_4(study), against_baselines(study), both_variants(study)]
    if len(study.sites) > 1:
        found.append(by_site(study))
    if study.transfers:
        found.append(transferred(study))
    if study.searches:
        found.append(searched(study))
    if ablations:
        found.append(table_5(study, ablations))
    return tuple(grid for grid in found if grid.rows)


def table_4(study: AnswerStudy) -> Grid:
    """Every system on all measures, and P@1 of the paper."""

    def row(system: str) -> tuple[str, tuple[Cell, ...]]:
        figures = [study.figure(system, EVERY, measure) for measure in study.measures]
        test = _NOTHING if system == study.baseline else _tested(figures[0])
        return _marked(system), (*[_interval(figure) for figure in figures], test, *_published(TABLE_4.get(system)))

    return Grid(
        title="Table 4: systems",
        about=(
            f"On {of_part(study)}, with intervals; the test is paired, against {label(study.baseline)}, the best "
            "baseline here. * looks at the state of the dump, which contains what is to be predicted. The paper's "
            "figures are of questions of another site with at least four answers: orders compare, values do not."
        ),
        headings=("system", *study.measures, f"over {label(study.baseline)}", "paper, small", "paper, large"),
        rows=tuple(row(system) for system in study.systems),
    )


def against_baselines(study: AnswerStudy) -> Grid:
    """Every learned system against every baseline."""
    baselines = [system for system in study.systems if is_baseline(system)]
    learned = [system for system in study.systems if not is_baseline(system)]
    rows = tuple(
        (_marked(system), tuple(_contrasted(study, system, other) for other in baselines)) for system in learned
    )
    return Grid(
        title="Against every baseline",
        about=f"Difference in {study.measures[0]}, in points, and the two-sided p-value of the paired test.",
        headings=("system", *map(_marked, baselines)),
        rows=rows,
    )


def both_variants(study: AnswerStudy) -> Grid:
    """What is gained by looking at the state of the dump."""

    def rows() -> Iterator[tuple[str, tuple[Cell, ...]]]:
        for system in study.systems:
            ranker, variant = ranker_and_variant(system)
            twin = f"metadata_{ranker}_{SNAPSHOT}"
            if not is_baseline(system) and variant == AS_OF and twin in study.systems:
                both = [_interval(study.figure(name, EVERY, study.measures[0])) for name in (system, twin)]
                yield ranker_label(ranker), (*both, _contrasted(study, twin, system))

    return Grid(
        title="Snapshot beside as-of",
        about=(
            f"{study.measures[0]} of the same ranker on what was known at the cut, and on the state of the dump. The "
            "difference is what looking into the future is worth; it is not there when the answers have to be ranked."
        ),
        headings=("ranker", "as of the cut", "snapshot", "difference"),
        rows=tuple(rows()),
    )


def by_site(study: AnswerStudy) -> Grid:
    """Every system on every site."""
    sizes = {site: study.figure(study.baseline, site, study.measures[0]).queries for site in study.sites}

    def cell(figure: Figure) -> Cell:
        found = _interval(figure)
        return found if figure.system == study.baseline else Cell(found.text, found.small, verdict(figure))

    return Grid(
        title=f"{study.measures[0]} by site",
        about=" ".join([
            f"Coloured where the paired test against {label(study.baseline)} on the site finds a difference.",
            *too_small(study),
        ]),
        headings=("system", *(f"{site} ({count(size)})" for site, size in sizes.items())),
        rows=tuple(
            (_marked(system), tuple(cell(study.figure(system, site, study.measures[0])) for site in study.sites))
            for system in study.systems
        ),
    )  # fmt: skip


def transferred(study: AnswerStudy) -> Grid:
    """Systems that never saw the site."""

    def rows() -> Iterator[tuple[str, tuple[Cell, ...]]]:
        for system in dict.fromkeys(each.system for each in study.transfers):
            for site in (*study.sites, EVERY):
                of = {t.trained_on: t for t in study.transfers if (t.system, t.site) == (system, site)}
                cells = [_interval(of[trained_on]) for trained_on in ("all", "own", "others")]
                yield f"{_marked(system)}: {_site(site)}", (*cells, _tested(of["others"]))

    return Grid(
        title="From site to site",
        about=(
            f"{study.measures[0]} on a site of the system trained on all sites, on this site alone, and on the others "
            "alone; the test compares the last with the first."
        ),
        headings=("system and site", "all sites", "this site", "other sites", "others against all"),
        rows=tuple(rows()),
    )


def searched(study: AnswerStudy) -> Grid:
    """The parameters that every ranker was trained with, where they were searched."""

    def cells(search: Search) -> tuple[Cell, ...]:
        found = (Cell(points(search.given)), _interval(search), _tested(search))
        return (*found, Cell(count(search.tried)))

    return Grid(
        title="Tuning",
        about=(
            f"{study.measures[0]} on the validation part, of the recipe's own parameters and of the best trial. The "
            "best of many measures a little too well there; Table 4 is of other questions. Chosen: "
            f"{'; '.join(f'{label(search.system)}: {outcome(search)}' for search in study.searches)}."
        ),
        headings=("system", "as the recipe says", "best trial", "difference", "trials"),
        rows=tuple((_marked(search.system), cells(search)) for search in study.searches),
    )


def table_5(study: AnswerStudy, ablations: Sequence[Ablation]) -> Grid:
    """What each group is worth: left out, and alone."""
    systems = list(dict.fromkeys(each.system for each in ablations))
    found = {(each.system, each.variant, each.family): each for each in ablations}
    families = [family for family in TABLE_5 if any((system, "only", family) in found for system in systems)]

    def cells(family: str) -> Iterator[Cell]:
        for system in systems:
            for variant in ("without", "only"):
                each = found.get((system, variant, family))
                yield _NOTHING if each is None else _ablated(each)

    first = [Cell(points(found[system, "all", ""].value)) if n == 0 else Cell("") for system in systems for n in (0, 1)]
    paper_all = _published(TABLE_5_ALL)
    return Grid(
        title="Table 5: groups of features",
        about=(
            f"{study.measures[0]}: for each group, how leaving it out changes the system (in points, coloured where "
            "the paired test finds a difference), and the group alone. The paper leaves out only, from a network on "
            "the snapshot. Groups stand in for each other: small losses do not say that all could go. The test knows "
            "that other questions might have been asked, not that another seed would have trained another model."
        ),
        headings=(
            "group",
            *(f"{label(system)}{rest}" for system in systems for rest in (": without", ": alone")),
            "paper, small",
            "paper, large",
        ),
        rows=(
            ("all", (*first, *paper_all)),
            *((TABLE_5[family][0], (*cells(family), *_changes(TABLE_5[family][1]))) for family in families),
        ),
    )


def _ablated(each: Ablation) -> Cell:
    if each.variant == "without":
        return Cell(signed_points(each.difference), p_value(each.p_value), verdict(each))
    return _interval(each)


def _contrasted(study: AnswerStudy, system: str, baseline: str) -> Cell:
    found = study.contrast(system, baseline)
    return _NOTHING if found is None else _tested(found)


def _tested(found: Tested) -> Cell:
    return Cell(signed_points(found.difference), p_value(found.p_value), verdict(found))


def _interval(figure: Figure | Transfer | Ablation | Search) -> Cell:
    return Cell(points(figure.value), interval(figure.low, figure.high))


def _published(found: Published | None) -> tuple[Cell, Cell]:
    if found is None:
        return _NOTHING, _NOTHING
    return Cell(points(found.small), role="muted"), Cell(points(found.large), role="muted")


def _changes(found: Published | None) -> tuple[Cell, Cell]:
    if found is None:
        return _NOTHING, _NOTHING
    return Cell(signed_points(found.small), role="muted"), Cell(signed_points(found.large), role="muted")


def _marked(system: str) -> str:
    return f"{label(system)} *" if looks_ahead(system) else label(system)


def _site(site: str) -> str:
    return "all sites together" if site == EVERY else site
