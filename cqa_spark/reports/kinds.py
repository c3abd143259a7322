"""The kinds of report: lists of sections."""

from typing import Any

from cqa_spark.plugins import PluginKind
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import ReportKind, Section
from cqa_spark.reports.sections import comparison, explanation, lake_page, query_table, summary, trend
from cqa_spark.reports.sections.inspection import sites

SECTIONS: PluginKind[Section[ReportedRun, Any]] = PluginKind("report_sections", "report section")
"""The sections of the reports of runs."""

_RESULTS = (
    "findings", "night-worth", "first-answers", "cautions", "night", "preferred-answer", "systems", "similarity",
    "differences", "scores", "features", "experiments", "queries", "pairs",
)  # fmt: skip
_ORIGIN = ("intake", "run")

QUERIES = ReportKind(query_table.HEAD, (query_table.SECTION,), script="sections/query_table.js")
"""Of all queries of a run, beside its report."""

EXPLANATION = ReportKind(explanation.HEAD, (explanation.SECTION,))
"""Of the scores of one thread."""

INSPECTION = ReportKind(sites.HEAD, (sites.TABLES, sites.SITES), json=sites.inspection_json)
"""Of the contents of a run's tables."""

COMPARISON = ReportKind(comparison.HEAD, comparison.SECTIONS, json=comparison.comparison_json)
"""Of the differences between runs."""

LAKE = ReportKind(lake_page.HEAD, (lake_page.THREADS, lake_page.RUNS), script="sections/lake_threads.js")
"""Of a lake; the page shows sections of a run's report, too."""

TREND = ReportKind(trend.HEAD, (trend.SECTION,), json=trend.trend_json)
"""Of a measure over the published runs."""


def run_report() -> ReportKind[ReportedRun]:
    """Of runs, nights and experiments; each shows the sections whose tables it has.

    Sections of other packages, in alphabetical order, follow those about results; one that cannot be imported is left
    out, with a warning.
    """
    sections = SECTIONS.load_all()
    others = [name for name in sections if name not in (*_RESULTS, *_ORIGIN)]
    names = [name for name in (*_RESULTS, *others, *_ORIGIN) if name in sections]
    return ReportKind(summary.HEAD, tuple(sections[name] for name in names))
