"""Limitations of feature groups that affect the results."""

from markupsafe import Markup

from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.reported_run import Caution, ReportedRun
from cqa_spark.reports.section import Section

Cautions = tuple[Caution, ...]


def data(run: ReportedRun) -> Cautions | None:
    """The cautions of the run's systems."""
    return run.cautions or None


def page(cautions: Cautions) -> Markup:
    """A paragraph for each caution."""
    return fragment("sections/cautions.html.j2", cautions=cautions)


SECTION = Section("cautions", "Cautions", data, page)
