"""Cross-validation, ablations by feature family, learning curves, and seeds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from statistics import mean, stdev
from typing import Generic, TypeVar

from markupsafe import Markup

from cqa_spark.lake.schemas.metrics import SITE_METRICS
from cqa_spark.lake.schemas.studies import ABLATIONS, CROSS_VALIDATIONS, LEARNING_CURVES, SEEDS
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import Drawing, Plot, Whisker, curve_of, described, draw_both, whiskers
from cqa_spark.reports.kit.tables import Cell, Grid
from cqa_spark.reports.kit.wording import count, points, verdict
from cqa_spark.reports.reported_run import ReportedRun, from_entry
from cqa_spark.reports.section import Section

# The results of experiments: cross-validation, ablation, learning curves and seeds.


@dataclass(frozen=True)
class ReportedVariant:
    """A variant of a system, evaluated on the same queries; all values are fractions from 0 to 1.

    Attributes:
        system: name of the system.
        value: main measure.
        low: lower bound of its interval.
        high: upper bound of its interval.
        confidence: confidence level of the interval.
        difference: variant minus full system; 0 for the full system itself.
        p_value: two-sided, from the paired test against the full system; 1 for the full system itself.
    """

    system: str
    value: float
    low: float
    high: float
    confidence: float
    difference: float
    p_value: float


@dataclass(frozen=True)
class Ablation(ReportedVariant):
    """A system trained on a subset of its features.

    Attributes:
        variant: all, without or only.
        family: feature family that is left out or used alone; empty for all features.
        features: number of features used.
    """

    variant: str
    family: str
    features: int

    @property
    def name(self) -> str:
        """Name of the variant, such as ``without quality``."""
        return {"all": "all features", "only": f"{self.family} alone"}.get(self.variant, f"without {self.family}")


@dataclass(frozen=True)
class CurvePoint(ReportedVariant):
    """A system trained on a share of the training threads, and their number and that of their labelled examples."""

    share: float
    threads: int
    examples: int


@dataclass(frozen=True)
class CrossValidation(ReportedVariant):
    """A system in repeated cross-validation on the training split; the reference is the best system.

    Attributes:
        spread: standard deviation over the repeats.
        best: system with the highest mean.
        queries: number of training queries.
        repeats: number of cross-validations.
        folds: number of folds of each.
    """

    spread: float
    best: str
    queries: int
    repeats: int
    folds: int


@dataclass(frozen=True)
class SeedValues:
    """The main measure of a system trained with several seeds, as fractions; that of the recipe's own seed first."""

    system: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Experiments:
    """The experiments of a run; empty where the run has none.

    Attributes:
        measure: name of the measure.
        cross_validations: systems in cross-validation, best first.
        ablations: each system without each feature family and on each alone, in reading order.
        curves: each system by share of the training threads, smallest first.
        seeds: each system trained with several seeds.
    """

    measure: str
    cross_validations: tuple[CrossValidation, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    curves: tuple[CurvePoint, ...] = ()
    seeds: tuple[SeedValues, ...] = ()


def experiments(run: ReportedRun) -> Experiments:
    """The experiments of a run on its main measure."""
    validated = [from_entry(CrossValidation, entry) for entry in run.main_entries("cross_validations")]
    ablations = [from_entry(Ablation, entry) for entry in run.main_entries("ablations")]
    curves = [from_entry(CurvePoint, entry) for entry in run.main_entries("learning_curves")]
    draws = sorted(run.main_entries("seeds"), key=itemgetter("system", "draw"))
    return Experiments(
        run.main_measure,
        tuple(sorted(validated, key=lambda variant: (-variant.value, variant.system))),
        in_reading_order(ablations),
        tuple(sorted(curves, key=lambda point: (point.system, point.share))),
        tuple(
            SeedValues(system, tuple(entry["value"] for entry in of_system))
            for system, of_system in groupby(draws, key=itemgetter("system"))
        ),
    )


def in_reading_order(ablations: Sequence[Ablation]) -> tuple[Ablation, ...]:
    """By system: all features, then without each family (largest loss first), then each family alone (best first)."""
    rank = {"all": 0, "without": 1, "only": 2}

    def order(ablation: Ablation) -> tuple[str, int, float, str]:
        value = ablation.value * (-1 if ablation.variant == "only" else 1)
        return ablation.system, rank[ablation.variant], value, ablation.family

    return tuple(sorted(ablations, key=order))


def seeds_table(seeds: Sequence[SeedValues], measure: str, label: Callable[[str], str] = str) -> Grid:
    """Each system, by its displayed name, over several seeds; no rows for systems with one."""
    return Grid(
        title="Seeds",
        about=(
            f"{measure} of the same system trained with several seeds: the part of a result that is due to random "
            "samples of rows, features or weights in training. The first seed is that of the recipe."
        ),
        headings=("system", "seeds", "first seed", "mean", "standard deviation", "lowest", "highest"),
        rows=tuple((label(drawn.system), _cells(drawn.values)) for drawn in seeds if len(drawn.values) > 1),
    )


def _cells(values: Sequence[float]) -> tuple[Cell, ...]:
    shown = (values[0], mean(values), stdev(values), min(values), max(values))
    return Cell(str(len(values))), *(Cell(points(value)) for value in shown)


def cross_validation_conclusion(variants: Sequence[CrossValidation]) -> str:
    """Which systems the cross-validation does not distinguish from the best one.

    Args:
        variants: systems, best first; at least one.
    """
    best, *others = variants
    if not others:
        return f"{best.system} is the only system in the cross-validation."
    alike = [other.system for other in others if verdict(other) == "unclear"]
    if not alike:
        return f"{best.system} is significantly better than every other system."
    names = ", ".join(alike[:-1]) + " and " + alike[-1] if alike[1:] else alike[0]
    differ = f"its differences from {names} are" if alike[1:] else f"its difference from {names} is"
    return f"{best.system} has the highest mean, but {differ} not statistically significant."


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
