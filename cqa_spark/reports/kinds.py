"""The kinds of report: lists of sections."""

from __future__ import annotations

from cqa_spark.reports.section import Kind
from cqa_spark.reports.sections import (
    cautions,
    comparison,
    differences,
    experiments,
    features,
    intake,
    night,
    pairs,
    queries,
    query_table,
    record,
    scores,
    similarity,
    summary,
    systems,
)
from cqa_spark.reports.sections.inspection import overview, sites
from cqa_spark.reports.sections.preferred_answer import section as preferred_answer

RUN = Kind(
    summary.HEAD,
    (
        cautions.SECTION,
        night.SECTION,
        preferred_answer.SECTION,
        systems.SECTION,
        similarity.SECTION,
        differences.SECTION,
        scores.SECTION,
        features.SECTION,
        experiments.SECTION,
        queries.SECTION,
        pairs.SECTION,
        intake.SECTION,
        record.SECTION,
    ),
)
"""Of runs, nights and experiments; each shows the sections whose tables it has."""

QUERIES = Kind(query_table.HEAD, (query_table.SECTION,), script="sections/query_table.js")
"""Of all queries of a run, beside its report."""

INSPECTION = Kind(overview.HEAD, (overview.SECTION, sites.SECTION), json=overview.inspection_json)
"""Of the contents of a run's tables."""

COMPARISON = Kind(comparison.HEAD, (comparison.SECTION,), json=comparison.comparison_json)
"""Of the changes between two runs."""
