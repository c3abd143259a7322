"""The figures of the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from cqa_spark.reports.experiments.figures import ExperimentFigures, draw_experiments
from cqa_spark.reports.kit.drawing import Drawing, draw_both
from cqa_spark.reports.kit.plots.svg import NARROW
from cqa_spark.reports.preferred_answer.attention import plot_attention
from cqa_spark.reports.preferred_answer.labels import label
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.differences.plots import plot_differences
from cqa_spark.reports.run.features.figures import LearnedSystem, draw_importances
from cqa_spark.reports.run.record.plots import plot_steps
from cqa_spark.reports.run.scores.calibration import plot_calibration
from cqa_spark.reports.run.scores.content import frequent
from cqa_spark.reports.run.scores.histogram import plot_scores
from cqa_spark.reports.run.scores.lengths import plot_lengths
from cqa_spark.reports.run.systems.content import Evaluation
from cqa_spark.reports.run.systems.plots import plot_measure
from cqa_spark.reports.similarity.figures import SimilarityFigures, draw_similarity


@dataclass(frozen=True)
class Figures:
    """All figures of the page; absent or empty without data."""

    main_measure: Drawing | None
    other_measures: dict[str, Drawing]
    differences: Drawing | None
    similarity: SimilarityFigures | None
    scores: dict[str, Drawing]
    calibration: Drawing | None
    lengths: Drawing | None
    learned: tuple[LearnedSystem, ...]
    experiments: ExperimentFigures
    attentions: dict[str, Drawing]
    steps: Drawing | None


def draw_figures(report: RunReport) -> Figures:
    """Draw the figures that have data."""
    evaluation, main = report.evaluation, report.evaluation.main_measure
    measured = _measured(evaluation)
    return Figures(
        main_measure=draw_both(lambda name, width: plot_measure(evaluation, main, name, width), "main")
        if main in measured
        else None,
        other_measures={
            measure: Drawing(plot_measure(evaluation, measure, f"measure{number}", NARROW))
            for number, measure in enumerate(measured)
            if measure != main
        },
        differences=_differences(report),
        similarity=draw_similarity(report.similarity),
        scores={
            histogram.system: Drawing(plot_scores(histogram, f"scores{number}", NARROW))
            for number, histogram in enumerate(report.histograms)
        },
        calibration=_calibration(report),
        lengths=_lengths(report),
        learned=draw_importances(report.importances, evaluation.systems),
        experiments=draw_experiments(report.cross_validations, report.ablations, report.curves, main),
        attentions={
            label(each.system): draw_both(partial(plot_attention, each), f"attention{number}")
            for number, each in enumerate(report.study.attentions if report.study else ())
        },
        steps=draw_both(lambda name, width: plot_steps(report.run.steps, name, width), "steps")
        if report.run.steps
        else None,
    )


def _measured(evaluation: Evaluation) -> list[str]:
    found = {measurement.measure for measurement in evaluation.measurements}
    return [measure for measure in evaluation.measures if measure in found]


def _differences(report: RunReport) -> Drawing | None:
    differences = report.differences
    if differences is None:
        return None
    return draw_both(lambda name, width: plot_differences(differences, name, width), "differences")


def _calibration(report: RunReport) -> Drawing | None:
    study = report.scores
    if study is None or not any(study.histogram.relevant) or not study.histogram.calibration:
        return None
    return Drawing(plot_calibration(study.histogram, "calibration", NARROW))


def _lengths(report: RunReport) -> Drawing | None:
    lengths = frequent(report.scores.lengths) if report.scores else ()
    return Drawing(plot_lengths(lengths, "lengths", NARROW)) if lengths else None
