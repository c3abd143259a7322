"""Limitations of feature groups that affect the results."""

from cqa_spark.reports.kit.blocks import Block, Span, Text
from cqa_spark.reports.reported_run import Caution, ReportedRun
from cqa_spark.reports.section import Section


def data(run: ReportedRun) -> tuple[Caution, ...] | None:
    """The cautions of the run's systems."""
    return run.cautions or None


def blocks(cautions: tuple[Caution, ...]) -> list[Block]:
    """A paragraph for each caution."""
    shown: list[Block] = []
    for caution in cautions:
        affected = f" This affects the results of {', '.join(caution.systems)}." if caution.systems else ""
        groups = Span(", ".join(caution.groups), "bold")
        shown.append(Text((groups, f": {caution.text}.{affected}"), "caution"))
    return shown


SECTION = Section("cautions", "Cautions", data, blocks)
