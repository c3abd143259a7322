"""Cross-validation, ablations by feature family, learning curves, and seeds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from statistics import mean, stdev
from typing import TypeVar

from cqa_spark.lake.schemas.metrics import SITE_METRICS
from cqa_spark.lake.schemas.studies import ABLATIONS, CROSS_VALIDATIONS, LEARNING_CURVES, SEEDS
from cqa_spark.reports.kit.blocks import NO_VALUE, Block, Cell, Heading, Plot, Row, Table, Text, count_cells
from cqa_spark.reports.kit.svg import Picture, Whisker, curve_of, described, whiskers
from cqa_spark.reports.kit.wording import count, interval, p_value, points, signed_points, verdict
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


def seeds_table(seeds: Sequence[SeedValues], measure: str, label: Callable[[str], str] = str) -> Table:
    """Each system, by its displayed name, over several seeds; no rows for systems with one."""
    return Table(
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


def data(run: ReportedRun) -> Experiments | None:
    """The experiments; the comparison with published results shows the seeds of its systems itself."""
    results = run.once(experiments)
    shown = replace(results, seeds=()) if SITE_METRICS.name in run.products else results
    has_seeds = seeds_table(shown.seeds, shown.measure).rows
    return shown if shown.cross_validations or shown.ablations or shown.curves or has_seeds else None


def blocks(shown: Experiments) -> list[Block]:
    """A plot and a table for each experiment."""
    parts = _cross_validation(shown) if shown.cross_validations else []
    for number, variants in enumerate(_by_system(shown.ablations)):
        parts += _ablation(variants, shown.measure, number)
    for number, curve in enumerate(_by_system(shown.curves)):
        parts += _learning_curve(curve, shown.measure, number)
    seeds = seeds_table(shown.seeds, shown.measure)
    return [*parts, seeds] if seeds.rows else parts


def _cross_validation(shown: Experiments) -> list[Block]:
    first, measure = shown.cross_validations[0], shown.measure
    caption = (
        f"{measure} of each system on the training split: mean of {first.repeats} cross-validations with "
        f"{first.folds} folds by thread, and its interval over {count(first.queries)} queries."
    )
    about = (
        f"The standard deviation is over the repeats. The paired test is against {first.best}; p\u2011values are "
        "adjusted for the number of tests (Holm)."
    )
    rows = [
        Row(result.system, _tested(result, result.system == result.best, Cell(points(result.spread))))
        for result in shown.cross_validations
    ]
    headings = ("System", measure, "Standard deviation", *_TESTED)
    return [
        Heading("Cross-validation"),
        Text(cross_validation_conclusion(shown.cross_validations), "prose"),
        Plot("cross-validations", partial(plot_cross_validations, shown.cross_validations, measure), caption),
        Table("", about, headings, rows),
    ]


def _ablation(variants: Sequence[Ablation], measure: str, number: int) -> list[Block]:
    system = variants[0].system
    caption = (
        f"{measure} of {system} trained without each feature family, and on each family alone. The dotted line is the "
        "full system; families whose removal is significantly worse are coloured. Correlated families can replace each "
        "other, so small losses do not mean that all of them could be removed. The test accounts for the sample of "
        "queries, not for the random seed of training."
    )
    rows = [
        Row(variant.name, (*count_cells(variant.features), *_tested(variant, variant.variant == "all")))
        for variant in variants
    ]
    return [
        Heading(f"Ablation of {system}"),
        Plot(f"ablation{number}", partial(plot_ablations, variants, measure), caption),
        _variants_table(variants[0], measure, "features", ("Features", "Number"), rows),
    ]


def _learning_curve(curve: Sequence[CurvePoint], measure: str, number: int) -> list[Block]:
    system = curve[0].system
    caption = (
        f"{measure} of {system} by number of training threads, with its interval. Features that learn from labels "
        "were fitted on each share."
    )
    rows = [
        Row(
            f"{100 * point.share:.0f} %",
            (*count_cells(point.threads, point.examples), *_tested(point, point.share == 1)),
        )
        for point in curve
    ]
    headings = ("Share", "Threads", "Examples")
    return [
        Heading(f"Learning curve of {system}"),
        Plot(f"curve{number}", partial(plot_curve, curve, measure), caption),
        _variants_table(curve[0], measure, "training threads", headings, rows),
    ]


_TESTED = ("Interval", "Difference", "p-value")


def _variants_table(
    variant: ReportedVariant, measure: str, reference: str, headings: tuple[str, ...], rows: Sequence[Row]
) -> Table:
    about = (
        f"{measure} with its {variant.confidence * 100:.0f} % interval, and the paired test against all {reference}; "
        "p\u2011values are adjusted for the number of tests (Holm)."
    )
    return Table("", about, (*headings, measure, *_TESTED), rows)


def _tested(variant: ReportedVariant, is_reference: bool, *cells: Cell) -> tuple[Cell, ...]:
    """The value, further cells, the interval, and the paired test against the reference, which has none itself."""
    value = Cell(points(variant.value)), *cells, Cell(interval(variant.low, variant.high))
    if is_reference:
        return *value, NO_VALUE, NO_VALUE
    difference = Cell(signed_points(variant.difference), role=verdict(variant))
    return *value, difference, Cell(p_value(variant.p_value), role="p-value")


def _by_system(variants: Sequence[Result]) -> list[tuple[Result, ...]]:
    systems = dict.fromkeys(variant.system for variant in variants)
    return [tuple(variant for variant in variants if variant.system == system) for system in systems]


def plot_cross_validations(validated: Sequence[CrossValidation], measure: str, width: int) -> Picture:
    """Picture the mean of systems, best first, over the repeats with its interval, and a line at the best system."""
    rows = [
        Whisker(
            result.system, result.value, result.low, result.high, "accent" if result.system == result.best else "ink"
        )
        for result in validated
    ]
    description = f"{measure} of each system in cross-validation, with intervals: {described(rows)}."
    return Picture(whiskers(rows, validated[0].value, width), description)


def plot_ablations(ablations: Sequence[Ablation], measure: str, width: int) -> Picture:
    """Picture the variants of one system with their intervals, and a line at the full system, which is one of them."""
    full = next(ablation for ablation in ablations if ablation.variant == "all")
    rows = [
        Whisker(ablation.name, ablation.value, ablation.low, ablation.high, _role(ablation)) for ablation in ablations
    ]
    description = f"{measure} of {full.system} on subsets of its features, with intervals: {described(rows)}."
    return Picture(whiskers(rows, full.value, width), description)


def plot_curve(curve: Sequence[CurvePoint], measure: str, width: int) -> Picture:
    """Picture a measure of one system over the number of training threads, ascending, with its interval as a band."""
    values = [Whisker(count(point.threads), point.value, point.low, point.high, "accent") for point in curve]
    figure = curve_of(values, [point.threads for point in curve], width)
    words = "; ".join(
        f"{count(point.threads)} threads {points(point.value)} {interval(point.low, point.high)}" for point in curve
    )
    return Picture(figure, f"{measure} of {curve[0].system} by training threads: {words}.")


def _role(ablation: Ablation) -> str:
    if ablation.variant == "all":
        return "accent"
    return "loss" if ablation.variant == "without" and verdict(ablation) == "worse" else "ink"


SECTION = Section(
    "experiments",
    "Experiments",
    data,
    blocks,
    optional=(CROSS_VALIDATIONS, ABLATIONS, LEARNING_CURVES, SEEDS, SITE_METRICS),
)
