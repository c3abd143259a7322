"""``cqa duplicates``: a dump → for each question, the earlier questions that it duplicates, if any."""

from cqa_spark.commands.stages import print_report
from cqa_spark.config.duplicates_settings import DuplicatesSettings
from cqa_spark.corpora.registry import dump_sources
from cqa_spark.errors import InputError, noted
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections import systems
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.steps.report import written_report
from cqa_spark.tasks.duplicate.flow import duplicates as duplicates_flow
from cqa_spark.tasks.duplicate.task import Duplicate


def duplicates(settings: DuplicatesSettings) -> None:
    """Run the flow and print the table of systems and the paired tests.

    Raises:
        InputError: a site has several dumps.
    """
    sources = dump_sources(settings.dump_format or Duplicate.formats[0], settings)
    if len(sources) > 1:
        raise InputError(f"{len(sources)} dumps of one site", "name one of them with --input")
    finished = run_flow(duplicates_flow(settings, sources[0]), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        terminal = Terminal()
        written_report(finished).show(terminal, systems.SECTION)
        terminal.line(f"run: {finished.run_id}{', published' if settings.publish else ''}")
