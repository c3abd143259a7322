"""Every query of the evaluation, in files next to the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from cqa_spark.lake.run import Run
from cqa_spark.object_store.locations import local_target, write_file
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.query_table.content import MeasuredQuery, QueryTable
from cqa_spark.reports.query_table.csv_file import write_csv
from cqa_spark.reports.query_table.page import render_query_table
from cqa_spark.reports.run.content import RunReport

SHOWN = 5_000
"""Maximum number of queries on the page; the CSV file has all."""


@dataclass
class QueryFiles:
    """``REPORT.queries.csv`` and ``REPORT.queries.html``.

    Attributes:
        run: the run.
        target: path of the report.
    """

    run: Run
    target: str
    _written: tuple[int, tuple[MeasuredQuery, ...]] | None = field(default=None, init=False)

    def write(self, queries: Iterable[MeasuredQuery]) -> None:
        """Write the CSV file, and keep the queries of the page."""
        csv = self._path("csv")
        write_file(csv, b"", self.run.lake.storage)  # creates the folder
        with local_target(csv, self.run.lake.storage) as file:
            self._written = write_csv(file, queries, keep=SHOWN)

    def finish(self, report: RunReport) -> RunReport:
        """Write the page if there is a CSV file; return the report with the names of both."""
        if self._written is None:
            return report
        evaluation, (number, shown) = report.evaluation, self._written
        page, csv = (self._path(suffix).rsplit("/", 1)[-1] for suffix in ("html", "csv"))
        table = QueryTable(
            run_id=self.run.run_id,
            task=evaluation.task,
            split=evaluation.split,
            measure=evaluation.main_measure,
            best_system=evaluation.best_system,
            baseline=evaluation.baseline,
            csv=csv,
            queries=number,
            shown=shown,
        )
        write_file(self._path("html"), page_bytes(render_query_table(table)), self.run.lake.storage)
        return replace(report, queries_page=page, queries_csv=csv)

    def _path(self, suffix: str) -> str:
        return f"{self.target.removesuffix('.html')}.queries.{suffix}"
