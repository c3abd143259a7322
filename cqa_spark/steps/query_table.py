"""Every query of the evaluation, in files next to the report."""

from __future__ import annotations

from dataclasses import replace

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.object_store.locations import local_target, write_file
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.query_table.collect import queries
from cqa_spark.reports.query_table.content import QueryTable
from cqa_spark.reports.query_table.csv_file import write_csv
from cqa_spark.reports.query_table.page import render_query_table
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.scope import Scope

SHOWN = 5_000
"""Maximum number of queries on the page; the CSV file has all."""


def write_queries(run: Run, report: RunReport, target: str) -> RunReport:
    """Write ``REPORT.queries.html`` and ``REPORT.queries.csv``, and return the report with their names.

    Args:
        run: the run.
        report: content of the report.
        target: path of the report.
    """
    evaluation = report.evaluation
    if not evaluation.measurements or evaluation.split == CROSS_VALIDATED:
        return report
    base = target.removesuffix(".html")
    page, csv = (f"{base}.queries.{suffix}" for suffix in ("html", "csv"))
    name = csv.rsplit("/", 1)[-1]
    scope = Scope(
        run.present((EXAMPLES, QUERY_METRICS, POSTS)),
        {},
        evaluation.task,
        evaluation.split,
        evaluation.main_measure,
        evaluation.best_system,
        evaluation.baseline,
    )
    write_file(csv, b"", run.lake.storage)  # creates the folder
    with local_target(csv, run.lake.storage) as file:
        number, shown = write_csv(file, queries(scope), keep=SHOWN)
    table = QueryTable(
        run_id=run.run_id,
        task=evaluation.task,
        split=evaluation.split,
        measure=evaluation.main_measure,
        best_system=evaluation.best_system,
        baseline=evaluation.baseline,
        csv=name,
        queries=number,
        shown=shown,
    )
    write_file(page, page_bytes(render_query_table(table)), run.lake.storage)
    return replace(report, queries_page=page.rsplit("/", 1)[-1], queries_csv=name)
