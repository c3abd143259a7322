"""``cqa run``: all steps, from files to a report and a published run."""

from cqa_spark import flows
from cqa_spark.commands.report import print_report
from cqa_spark.config.run_settings import RunSettings
from cqa_spark.errors import noted
from cqa_spark.lake.publishing import INDEX
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import run_flow


def run(settings: RunSettings) -> None:
    """Run the flow, and print the table of systems."""
    finished = run_flow(flows.run(settings), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        if settings.publish and settings.pages:
            Terminal().line(f"threads: {settings.lake}/{INDEX} searches them")
        Terminal().line(f"run: {finished.run_id}{', published' if settings.publish else ''}")
