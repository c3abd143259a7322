"""Limitations of feature groups that affect the results."""

from cqa_spark.reports.kit.page import rendering
from cqa_spark.reports.reported_run import Caution, ReportedRun
from cqa_spark.reports.section import Section

Cautions = tuple[Caution, ...]


def data(run: ReportedRun) -> Cautions | None:
    """The cautions of the run's systems."""
    return run.cautions or None


SECTION = Section("cautions", "Cautions", data, rendering("sections/cautions.html.j2", "cautions"))
