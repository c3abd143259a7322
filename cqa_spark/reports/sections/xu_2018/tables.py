"""The tables of the experiment, with the published results where there are any."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.kit.blocks import NO_VALUE, Cell, Table, difference_cell, value_cell
from cqa_spark.reports.kit.wording import count, counted, points, signed_points, verdict
from cqa_spark.reports.sections.experiments import Ablation, seeds_table
from cqa_spark.reports.sections.xu_2018.published import (
    AS_OF,
    IN_TABLE_5,
    SNAPSHOT,
    PublishedPrecision,
    all_features_precision,
    change_without,
    is_baseline,
    label,
    marked,
    ranker_and_variant,
    ranker_label,
    table_4_precision,
)
from cqa_spark.reports.sections.xu_2018.study import AnswerStudy, Figure, Search

WIDE_INTERVAL = 0.05
"""A site counts as too small if half the width of its interval, a fraction, exceeds this."""

_ABLATED = {"without": ": without", "only": ": alone"}


def tables(study: AnswerStudy) -> tuple[Table, ...]:
    """The tables that have rows; the table by site only for several sites."""
    sites = [by_site(study)] if len(study.sites) > 1 else []
    shown = (
        table_4(study),
        against_baselines(study),
        both_variants(study),
        *sites,
        seeds_table(study.seeds, study.measures[0], marked),
        transferred(study),
        searched(study),
        table_5(study),
    )
    return tuple(grid for grid in shown if grid.rows)


PUBLISHED_HEADINGS = ("paper, small", "paper, large")


def published_cells(results: PublishedPrecision | None, shown: Callable[[float], str] = points) -> tuple[Cell, Cell]:
    """The results on the small and the large data set, in a format of theirs; dashes where there are none."""
    if results is None:
        return NO_VALUE, NO_VALUE
    return Cell(shown(results.small), role="muted"), Cell(shown(results.large), role="muted")


def table_4(study: AnswerStudy) -> Table:
    """All measures of each system, and P@1 of the paper."""

    def cells(system: str) -> tuple[Cell, ...]:
        figures = [study.figure(system, EVERY, measure) for measure in study.measures]
        values = [value_cell(figure.value, figure.low, figure.high) for figure in figures]
        test = NO_VALUE if system == study.baseline else difference_cell(figures[0])
        return (*values, test, *published_cells(table_4_precision(system)))

    return Table(
        title="Table 4: systems",
        about=(
            f"On {study.evaluation_set}, with intervals. The paired test is against {label(study.baseline)}, the best "
            "baseline. *: uses the state of the dump, which contains the prediction target. The paper reports another "
            "site and questions with at least four answers: compare the order of systems, not the values."
        ),
        headings=("system", *study.measures, f"over {label(study.baseline)}", *PUBLISHED_HEADINGS),
        rows=tuple((marked(system), cells(system)) for system in study.systems),
    )


def against_baselines(study: AnswerStudy) -> Table:
    """The difference of each learned system from each baseline."""
    baselines = [system for system in study.systems if is_baseline(system)]
    learned = [system for system in study.systems if not is_baseline(system)]
    return Table(
        title="Comparison with all baselines",
        about=(
            f"Difference in {study.measures[0]}, in percentage points, with the two-sided p-value of a paired test, "
            "adjusted for the number of systems (Holm)."
        ),
        headings=("system", *map(marked, baselines)),
        rows=tuple(
            (marked(system), tuple(difference_cell(study.contrast(system, other)) for other in baselines))
            for system in learned
        ),
    )


def both_variants(study: AnswerStudy) -> Table:
    """Both variants of each ranker, and the gain from the state of the dump."""
    return Table(
        title="Snapshot and as-of features",
        about=(
            f"{study.measures[0]} of the same ranker with features as of the cut, and with features from the state of "
            "the dump. The difference comes from information after the cut, which is not available when new answers "
            "are ranked."
        ),
        headings=("ranker", "as of the cut", "snapshot", "difference"),
        rows=tuple(_variant_rows(study)),
    )


def _variant_rows(study: AnswerStudy) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for system in study.systems:
        ranker, variant = ranker_and_variant(system)
        twin = f"metadata_{ranker}_{SNAPSHOT}"
        if not is_baseline(system) and variant == AS_OF and twin in study.systems:
            yield (
                ranker_label(ranker),
                (_main(study, system), _main(study, twin), difference_cell(study.contrast(twin, system))),
            )


def _main(study: AnswerStudy, system: str) -> Cell:
    figure = study.figure(system, EVERY, study.measures[0])
    return value_cell(figure.value, figure.low, figure.high)


def by_site(study: AnswerStudy) -> Table:
    """The main measure of each system on each site."""
    main = study.measures[0]
    sizes = {site: study.figure(study.baseline, site, main).queries for site in study.sites}

    def cell(figure: Figure) -> Cell:
        role = "" if figure.system == study.baseline else verdict(figure)
        return replace(value_cell(figure.value, figure.low, figure.high), role=role)

    significant = f"Coloured if the difference from {label(study.baseline)} on the site is statistically significant."
    return Table(
        title=f"{main} by site",
        about=" ".join([significant, *too_small(study)]),
        headings=("system", *(f"{site} ({count(size)})" for site, size in sizes.items())),
        rows=tuple(
            (marked(system), tuple(cell(study.figure(system, site, main)) for site in study.sites))
            for system in study.systems
        ),
    )


def transferred(study: AnswerStudy) -> Table:
    """Each system on each site, trained with and without the site; no rows without such an experiment."""
    return Table(
        title="Transfer between sites",
        about=(
            f"{study.measures[0]} on each site, with the system trained on all sites, on this site only, or on the "
            "other sites only. The paired test compares training on the other sites with training on all sites."
        ),
        headings=("system and site", "all sites", "this site", "other sites", "others minus all"),
        rows=tuple(_transfer_rows(study)),
    )


def _transfer_rows(study: AnswerStudy) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for system in dict.fromkeys(transfer.system for transfer in study.transfers):
        for site in (*study.sites, EVERY):
            of = {row.trained_on: row for row in study.transfers if (row.system, row.site) == (system, site)}
            by_training = [of[trained_on] for trained_on in ("all", "own", "others")]
            cells = [value_cell(transfer.value, transfer.low, transfer.high) for transfer in by_training]
            name = "all sites" if site == EVERY else site
            yield f"{marked(system)}: {name}", (*cells, difference_cell(of["others"]))


def searched(study: AnswerStudy) -> Table:
    """The default parameters and the best trial of each system; no rows without a search."""
    chosen = "; ".join(f"{label(search.system)}: {search.chosen}" for search in study.searches)
    return Table(
        title="Tuning",
        about=(
            f"{study.measures[0]} on the validation split, with the default parameters of the recipe and with those of "
            "the best trial. Choosing the best trial on this split makes its score optimistic; Table 4 reports other "
            f"questions. Chosen parameters: {chosen}."
        ),
        headings=("system", "default", "best trial", "difference", "trials"),
        rows=tuple((marked(search.system), _search_cells(search)) for search in study.searches),
    )


def _search_cells(search: Search) -> tuple[Cell, ...]:
    best = value_cell(search.value, search.low, search.high)
    return Cell(points(search.given)), best, difference_cell(search), Cell(count(search.tried))


def table_5(study: AnswerStudy) -> Table:
    """Each system without each feature group, and on each group alone; no rows without an ablation."""
    systems = list(dict.fromkeys(ablation.system for ablation in study.ablations))
    by_variant = {(ablation.system, ablation.variant, ablation.family): ablation for ablation in study.ablations}
    columns = [(system, variant) for system in systems for variant in _ABLATED]
    rows = []
    for family, name in IN_TABLE_5.items():
        if any((system, "only", family) in by_variant for system in systems):
            measured = [_ablation_cell(by_variant.get((*column, family))) for column in columns]
            rows.append((name, (*measured, *published_cells(change_without(name), signed_points))))
    if systems:
        full = [
            Cell(points(by_variant[system, "all", ""].value) if variant == "without" else "")
            for system, variant in columns
        ]
        rows.insert(0, ("all", (*full, *published_cells(all_features_precision()))))
    return Table(
        title="Table 5: feature groups",
        about=(
            f"{study.measures[0]}: the change when a group is removed (in percentage points, coloured if significant), "
            "and the group alone. The paper reports only the removal of groups, from a network on snapshot features. "
            "Correlated groups can replace each other, so small losses do not mean that all of them could be removed. "
            "The test accounts for the sample of questions, not for the random seed of training."
        ),
        headings=(
            "group",
            *[f"{label(system)}{_ABLATED[variant]}" for system, variant in columns],
            *PUBLISHED_HEADINGS,
        ),
        rows=tuple(rows),
    )


def _ablation_cell(ablation: Ablation | None) -> Cell:
    if ablation is None:
        return NO_VALUE
    if ablation.variant == "without":
        return difference_cell(ablation)
    return value_cell(ablation.value, ablation.low, ablation.high)


def too_small(study: AnswerStudy) -> Iterator[str]:
    """A sentence for each site whose intervals are too wide for conclusions about that site alone."""
    for site in study.sites:
        figure = study.figure(study.baseline, site, study.measures[0])
        half_width = (figure.high - figure.low) / 2
        if half_width > WIDE_INTERVAL:
            questions = counted(figure.queries, "question")
            uncertainty = f"an uncertainty of ±{points(half_width)} points"
            yield f"{site} has only {questions}: {uncertainty} is too large to distinguish most systems."
