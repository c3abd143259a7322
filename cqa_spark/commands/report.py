"""``cqa report``: the page of a run."""

from cqa_spark import flows
from cqa_spark.config.stage_settings import ReportSettings
from cqa_spark.lake.run import Run
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections import summary
from cqa_spark.runtime.workspace import given, run_flow
from cqa_spark.steps.report import written_report


def report(settings: ReportSettings) -> None:
    """Write the report of a run that was evaluated."""
    print_report(run_flow(flows.report(settings, given(settings)), settings, resume=True))


def print_report(run: Run) -> None:
    """Print the table of systems and the path of the page.

    Args:
        run: a run that was reported by this process.
    """
    terminal = Terminal()
    terminal.line()
    written_report(run).show(terminal, summary.HEAD)
    terminal.line()
    terminal.line(f"report: {run.record.artifacts['report']}")
