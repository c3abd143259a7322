"""Every query of the evaluation, in files next to the report."""

from collections.abc import Iterable

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.object_store.locations import local_target, write_file
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.kinds import QUERIES
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.reported_run import MeasuredQuery, QueryLinks, ReportedRun
from cqa_spark.reports.sections.query_table import QueryTable, write_csv

SHOWN = 5_000
"""Maximum number of queries on the page; the CSV file has all."""


def write_query_files(
    run: ReportedRun, queries: Iterable[MeasuredQuery], target: str, storage: ObjectStorageSettings
) -> QueryLinks:
    """Write ``REPORT.queries.csv`` and ``REPORT.queries.html``.

    Args:
        run: the reported run.
        queries: its queries, the lowest values first.
        target: path of the report.
        storage: object storage settings.

    Returns:
        The names of both files.
    """
    page, csv = (f"{target.removesuffix('.html')}.queries.{suffix}" for suffix in ("html", "csv"))
    links = QueryLinks(*(path.rsplit("/", 1)[-1] for path in (page, csv)))
    write_file(csv, b"", storage)  # creates the folder
    with local_target(csv, storage) as file:
        number, shown = write_csv(file, queries, keep=SHOWN)
    table = QueryTable(
        task=run.task,
        run_id=run.record.run_id,
        split=run.split,
        measure=run.main_measure,
        best_system=run.best_system,
        baseline=run.once(evaluation).baseline,
        csv=links.csv,
        queries=number,
        shown=shown,
    )
    write_file(page, page_bytes(QUERIES.collect(table).page()), storage)
    return links
