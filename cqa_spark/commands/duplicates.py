"""``cqa duplicates``: a dump → for each question, the earlier questions that it duplicates, if any."""

from cqa_spark.commands.stages import print_report
from cqa_spark.corpora.source import one_dump, planned_dump
from cqa_spark.errors import noted
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections import systems
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.settings.duplicates import DuplicatesSettings
from cqa_spark.steps.report import written_report
from cqa_spark.tasks.duplicate.flow import duplicates as duplicates_flow
from cqa_spark.tasks.duplicate.task import Duplicate


def planned_flow(settings: DuplicatesSettings) -> Flow:
    """The flow that the job would run now."""
    return duplicates_flow(settings, planned_dump(settings.dump_format or Duplicate.formats[0], settings))


def duplicates(settings: DuplicatesSettings) -> None:
    """Run the flow and print the table of systems and the paired tests.

    Raises:
        InputError: a site has several dumps.
    """
    source = one_dump(settings.dump_format or Duplicate.formats[0], settings)
    finished = run_flow(duplicates_flow(settings, source), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        terminal = Terminal()
        written_report(finished).show(terminal, systems.SECTION)
        terminal.line(f"run: {finished.run_id}{', published' if settings.publish else ''}")
