"""Cross-validation, ablations by feature family, learning curves, and seeds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from markupsafe import Markup

from cqa_spark.lake.schemas.metrics import SITE_METRICS
from cqa_spark.lake.schemas.studies import ABLATIONS, CROSS_VALIDATIONS, LEARNING_CURVES, SEEDS
from cqa_spark.reports.kit.curves import curve_of
from cqa_spark.reports.kit.intervals import Whisker, described, whiskers
from cqa_spark.reports.kit.numbers import count, points
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import Drawing, Plot, draw_both
from cqa_spark.reports.kit.wording import verdict
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section
from cqa_spark.reports.sections.experiment_results import (
    Ablation,
    CrossValidation,
    CurvePoint,
    Experiments,
    ReportedVariant,
    cross_validation_conclusion,
    experiments,
    seeds_table,
)

Result = TypeVar("Result", bound=ReportedVariant)


@dataclass(frozen=True)
class _SystemFigure(Generic[Result]):
    """The variants of one system, and their plot."""

    system: str
    variants: tuple[Result, ...]
    figure: Drawing


def data(run: ReportedRun) -> Experiments | None:
    """The experiments; the comparison with published results shows the seeds of its systems itself."""
    results = run.once(experiments)
    shown = replace(results, seeds=()) if SITE_METRICS.name in run.products else results
    has_seeds = seeds_table(shown.seeds, shown.measure).rows
    return shown if shown.cross_validations or shown.ablations or shown.curves or has_seeds else None


def page(shown: Experiments) -> Markup:
    """A plot and a table for each experiment."""
    measure, validated = shown.measure, shown.cross_validations
    return fragment(
        "sections/experiments.html.j2",
        experiments=shown,
        conclusion=cross_validation_conclusion(validated) if validated else "",
        validation_figure=draw_both(partial(plot_cross_validations, validated, measure), "cross-validations")
        if validated
        else None,
        ablations=[
            _SystemFigure(
                variants[0].system, variants, draw_both(partial(plot_ablations, variants, measure), f"ablation{number}")
            )
            for number, variants in enumerate(_by_system(shown.ablations))
        ],
        curves=[
            _SystemFigure(points[0].system, points, draw_both(partial(plot_curve, points, measure), f"curve{number}"))
            for number, points in enumerate(_by_system(shown.curves))
        ],
        seeds=seeds_table(shown.seeds, measure),
    )


def _by_system(variants: Sequence[Result]) -> list[tuple[Result, ...]]:
    systems = dict.fromkeys(variant.system for variant in variants)
    return [tuple(variant for variant in variants if variant.system == system) for system in systems]


def plot_cross_validations(validated: Sequence[CrossValidation], measure: str, width: int) -> Plot:
    """Plot the mean of systems, best first, over the repeats with its interval, and a line at the best system."""
    rows = [
        Whisker(
            result.system, result.value, result.low, result.high, "accent" if result.system == result.best else "ink"
        )
        for result in validated
    ]
    description = f"{measure} of each system in cross-validation, with intervals: {described(rows)}."
    return Plot(whiskers(rows, validated[0].value, width), description)


def plot_ablations(ablations: Sequence[Ablation], measure: str, width: int) -> Plot:
    """Plot the variants of one system with their intervals, and a line at the full system, which is one of them."""
    full = next(ablation for ablation in ablations if ablation.variant == "all")
    rows = [
        Whisker(ablation.name, ablation.value, ablation.low, ablation.high, _role(ablation)) for ablation in ablations
    ]
    description = f"{measure} of {full.system} on subsets of its features, with intervals: {described(rows)}."
    return Plot(whiskers(rows, full.value, width), description)


def plot_curve(curve: Sequence[CurvePoint], measure: str, width: int) -> Plot:
    """Plot a measure of one system over the number of training threads, ascending, with its interval as a band."""
    values = [Whisker(count(point.threads), point.value, point.low, point.high, "accent") for point in curve]
    figure = curve_of(values, [point.threads for point in curve], width)
    words = "; ".join(
        f"{count(point.threads)} threads {points(point.value)} ({points(point.low)} to {points(point.high)})"
        for point in curve
    )
    return Plot(figure, f"{measure} of {curve[0].system} by training threads: {words}.")


def _role(ablation: Ablation) -> str:
    if ablation.variant == "all":
        return "accent"
    return "loss" if ablation.variant == "without" and verdict(ablation) == "worse" else "ink"


SECTION = Section(
    "experiments",
    "Experiments",
    data,
    page,
    optional=(CROSS_VALIDATIONS, ABLATIONS, LEARNING_CURVES, SEEDS, SITE_METRICS),
)
