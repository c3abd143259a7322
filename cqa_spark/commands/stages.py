"""The commands that run a single step: ``cqa pair``, ``featurize``, ``evaluate`` and ``report``."""

from cqa_spark import flows
from cqa_spark.features.feature_table import stored_groups
from cqa_spark.lake.run import Run
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections import summary
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.workspace import given, read_lake, run_flow
from cqa_spark.settings.stages import EvaluateSettings, FeaturizeSettings, PairSettings, ReportSettings
from cqa_spark.steps.report import written_report


def pair_flow(settings: PairSettings) -> Flow:
    """The flow for the tables and models that the run has."""
    return flows.pair(settings, given(settings))


def pair(settings: PairSettings) -> None:
    """Build the examples of every task from the run's community tables."""
    run_flow(pair_flow(settings), settings, resume=True)


def featurize_flow(settings: FeaturizeSettings) -> Flow:
    """The flow for the tables and models that the run has."""
    return flows.featurize(settings, given(settings))


def featurize(settings: FeaturizeSettings) -> None:
    """Compute the named feature groups, and those that the named systems need; warn of values that are replaced."""
    flow = featurize_flow(settings)
    computed = flows.groups_to_compute(settings)
    stored = stored_groups(snapshot_of(read_lake(settings), settings.run_id))
    replaced = [group.name for group in stored if group.name not in computed]
    if replaced:
        Terminal(stderr=True).line(
            f"warning: all feature values of run {settings.run_id} are replaced; to keep those of "
            f"{', '.join(replaced)}, name all groups in one command"
        )
    run_flow(flow, settings, resume=True)


def evaluate_flow(settings: EvaluateSettings) -> Flow:
    """The flow for the tables and models that the run has."""
    return flows.evaluate(settings, given(settings))


def evaluate(settings: EvaluateSettings) -> None:
    """Evaluate the rankings of a run against its judgments."""
    run_flow(evaluate_flow(settings), settings, resume=True)


def report_flow(settings: ReportSettings) -> Flow:
    """The flow for the tables and models that the run has."""
    return flows.report(settings, given(settings))


def report(settings: ReportSettings) -> None:
    """Write the report of a run that was evaluated."""
    print_report(run_flow(report_flow(settings), settings, resume=True))


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
