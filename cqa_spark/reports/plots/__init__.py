"""The report's figures, as SVG that follows the page's light and dark mode."""

from cqa_spark.reports.plots.differences import plot_differences
from cqa_spark.reports.plots.experiments import plot_ablations, plot_cross_validations, plot_curve
from cqa_spark.reports.plots.importances import plot_importances
from cqa_spark.reports.plots.measures import plot_measure
from cqa_spark.reports.plots.scores import plot_scores
from cqa_spark.reports.plots.steps import plot_steps
from cqa_spark.reports.plots.svg import NARROW, WIDE

__all__ = [
    "NARROW",
    "WIDE",
    "plot_ablations",
    "plot_cross_validations",
    "plot_curve",
    "plot_differences",
    "plot_importances",
    "plot_measure",
    "plot_scores",
    "plot_steps",
]
