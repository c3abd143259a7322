"""Shows a report in the terminal, as JSON, and as a page."""

from cqa_spark.config.job_settings import ShownReportSettings
from cqa_spark.object_store.locations import write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.section import ReportValues


def show_report(report: ReportValues, settings: ShownReportSettings) -> None:
    """Print a report in the format of the settings, and write the page that they name."""
    if settings.format == "json":
        print(report.json())
    else:
        report.show(Terminal())
    if settings.page:
        write_file(settings.page, page_bytes(report.page()), settings.object_storage)
        # To stderr, because programs may parse stdout.
        Terminal(stderr=True).line(f"page: {settings.page}")
