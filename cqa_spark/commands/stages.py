"""The commands that run a single step: ``cqa pair``, ``featurize`` and ``evaluate``."""

from cqa_spark import flows
from cqa_spark.config.stage_settings import EvaluateSettings, FeaturizeSettings, PairSettings
from cqa_spark.features.feature_table import stored_groups
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import given, read_lake, run_flow


def pair(settings: PairSettings) -> None:
    """Build the examples of every task from the run's community tables."""
    run_flow(flows.pair(settings, given(settings)), settings, resume=True)


def featurize(settings: FeaturizeSettings) -> None:
    """Compute the named feature groups, and those that the named systems need; warn of values that are replaced."""
    flow = flows.featurize(settings, given(settings))
    computed = flows.groups_to_compute(settings)
    stored = stored_groups(snapshot_of(read_lake(settings), settings.run_id))
    replaced = [group.name for group in stored if group.name not in computed]
    if replaced:
        Terminal(stderr=True).line(
            f"warning: all feature values of run {settings.run_id} are replaced; to keep those of "
            f"{', '.join(replaced)}, name all groups in one command"
        )
    run_flow(flow, settings, resume=True)


def evaluate(settings: EvaluateSettings) -> None:
    """Evaluate the rankings of a run against its judgments."""
    run_flow(flows.evaluate(settings, given(settings)), settings, resume=True)
