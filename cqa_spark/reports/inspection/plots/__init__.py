"""The figures of a site, as SVG that follows the page's light and dark mode."""

from cqa_spark.reports.inspection.plots.months import plot_months
from cqa_spark.reports.inspection.plots.scores import plot_score_counts
from cqa_spark.reports.inspection.plots.tags import plot_tags

__all__ = ["plot_months", "plot_score_counts", "plot_tags"]
