"""Single steps, which continue a run: ``cqa pair``, ``featurize``, ``evaluate`` and ``report``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ConfigError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import (
    AllowSharedThreads,
    Baseline,
    EvaluationSettings,
    FeatureSettings,
    Report,
    StageSettings,
    Systems,
    Task,
)
from cqa_spark.settings.values import GroupNames

if TYPE_CHECKING:
    from cqa_spark.lake.run import Run
    from cqa_spark.runtime.flow import Flow


class PairSettings(StageSettings):
    """Create the examples of every task from community tables: queries with candidates, labels and initial ranks."""

    examples = ("cqa pair --lake build/lake --run-id mine",)

    allow_shared_threads: AllowSharedThreads = False


def pair_flow(settings: PairSettings) -> Flow:
    """Community tables → examples, if the run has the tables."""
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.pair import Pair
    from cqa_spark.task_contract.contract import TASKS

    return Flow(
        "pair", (Pair(TASKS.names(), allow_shared_threads=settings.allow_shared_threads),), existing_products(settings)
    )


def pair(settings: PairSettings) -> None:
    """Build the examples of every task from the run's community tables."""
    from cqa_spark.runtime.workspace import run_flow

    run_flow(pair_flow(settings), settings, resume=True)


class FeaturizeSettings(StageSettings):
    """Compute feature groups, and the processed texts that they require; replaces all earlier values of the run."""

    examples = (
        "cqa featurize --lake build/lake --run-id mine --systems best_a",
        "cqa featurize --lake build/lake --run-id mine --systems best_a --groups comment_surface_v1",
        "cqa featurize --lake build/lake --run-id beer --systems metadata_boosted_asof --strict",
    )

    task: Task = None
    systems: Systems = ()
    groups: Annotated[
        GroupNames, Field(description="feature groups, besides those of the systems; see cqa features list")
    ] = ()
    strict: bool = Field(
        default=False,
        description="fail if the dump of a site lacks a table that a group requires, instead of skipping the group",
    )
    features: FeatureSettings = FeatureSettings()

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Neither systems nor groups; groups without a task."""
        if values.get("groups") and not values.get("systems") and not values.get("task"):
            yield "task", "required for groups without systems", "give --task NAME"
        if not values.get("systems") and not values.get("groups"):
            yield "groups", "no feature groups", "give --systems NAME or --groups NAME"


def featurize_flow(settings: FeaturizeSettings) -> Flow:
    """Examples → features, with the texts that they need."""
    from cqa_spark.flows import text_steps
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.featurize import Featurize
    from cqa_spark.steps.upstream import TrainUpstream, upstream_of
    from cqa_spark.systems.recipes import groups_of, rank_by_words, read_systems, task_of

    systems = read_systems(settings.systems)
    groups = groups_to_compute(settings)
    task = settings.task or task_of(systems)
    upstream = [entry.system for entry in upstream_of(systems)]
    return Flow(
        "featurize",
        (
            *text_steps([*groups, *groups_of(upstream)], words=rank_by_words([*systems, *upstream])),
            *([TrainUpstream(systems, settings.features)] if upstream_of(systems) else []),
            Featurize(groups, task, settings.features, strict=settings.strict),
        ),
        existing_products(settings),
    )


def featurize(settings: FeaturizeSettings) -> None:
    """Compute the named feature groups, and those that the named systems need; warn of values that are replaced."""
    from cqa_spark.features.feature_table import stored_groups
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.runtime.workspace import read_lake, run_flow

    flow = featurize_flow(settings)
    computed = groups_to_compute(settings)
    stored = stored_groups(snapshot_of(read_lake(settings), settings.run_id))
    replaced = [group.name for group in stored if group.name not in computed]
    if replaced:
        Terminal(stderr=True).line(
            f"warning: all feature values of run {settings.run_id} are replaced; to keep those of "
            f"{', '.join(replaced)}, name all groups in one command"
        )
    run_flow(flow, settings, resume=True)


def groups_to_compute(settings: FeaturizeSettings) -> list[str]:
    """The groups that the settings name, and those that their systems need, each once."""
    from cqa_spark.systems.recipes import groups_of, read_systems

    return list(dict.fromkeys([*groups_of(read_systems(settings.systems)), *settings.groups]))


class EvaluateSettings(StageSettings):
    """Evaluate the rankings of a run, with bootstrap intervals and paired tests against the baseline."""

    examples = ("cqa evaluate --lake build/lake --run-id mine --evaluation.measures MAP@10 P@1",)

    baseline: Baseline = "given_order"
    evaluation: EvaluationSettings = EvaluationSettings()


def evaluate_flow(settings: EvaluateSettings) -> Flow:
    """Rankings → metrics.

    Raises:
        ConfigError: the baseline is not among the systems of the run.
    """
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.evaluate import Evaluate
    from cqa_spark.systems.recipes import at_random, read_systems
    from cqa_spark.systems.system import known_systems
    from cqa_spark.systems.trained_system import model_artifact

    prefix = model_artifact("")
    present = existing_products(settings)
    trained = sorted(name.removeprefix(prefix) for name in present or () if name.startswith(prefix))
    if trained and settings.baseline not in trained:
        raise ConfigError(
            f"baseline: run {settings.run_id} has no system {settings.baseline}",
            f"name one of {', '.join(trained)} with --baseline",
        )
    chance = at_random(read_systems(known_systems()))
    return Flow("evaluate", (Evaluate(_evaluation(settings), settings.baseline, chance),), present)


def evaluate(settings: EvaluateSettings) -> None:
    """Evaluate the rankings of a run against its judgments."""
    from cqa_spark.runtime.workspace import run_flow

    run_flow(evaluate_flow(settings), settings, resume=True)


class ReportSettings(StageSettings):
    """Write the report of a run: one self-contained HTML file."""

    examples = ("cqa report --lake build/lake --run-id mine --report mine.html",)

    baseline: Baseline = "given_order"
    report: Report = None
    evaluation: EvaluationSettings = EvaluationSettings()

    def writes(self) -> list[str]:
        """The HTML file."""
        return [self.report or f"{self.lake}/runs/{self.run_id}.ATTEMPT/report.html"]


def report_flow(settings: ReportSettings) -> Flow:
    """Metrics → a page."""
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.report import Report as WriteReport

    return Flow(
        "report",
        (WriteReport(settings.report, _evaluation(settings).measures, settings.baseline),),
        existing_products(settings),
    )


def _evaluation(settings: EvaluateSettings | ReportSettings) -> EvaluationSettings:
    """The evaluation of the task of the baseline."""
    from cqa_spark.flows import evaluation_of
    from cqa_spark.systems.recipes import read_systems, task_of

    return evaluation_of(settings.evaluation, task_of(read_systems([settings.baseline])))


def report(settings: ReportSettings) -> None:
    """Write the report of a run that was evaluated."""
    from cqa_spark.runtime.workspace import run_flow

    print_report(run_flow(report_flow(settings), settings, resume=True))


def print_report(run: Run) -> None:
    """Print the table of systems and the path of the page.

    Args:
        run: a run that was reported by this process.
    """
    from cqa_spark.reports.sections import summary
    from cqa_spark.steps.report import written_report

    terminal = Terminal()
    terminal.line()
    written_report(run).show(terminal, summary.HEAD)
    terminal.line()
    terminal.line(f"report: {run.record.artifacts['report']}")


JOBS = (
    Job("pair", "community tables → examples", "single steps", PairSettings, pair, flow=pair_flow, step=3),
    Job("featurize", "examples → features", "single steps", FeaturizeSettings, featurize, flow=featurize_flow, step=4),
    Job(
        "evaluate",
        "rankings → measures, confidence intervals, significance tests",
        "single steps",
        EvaluateSettings,
        evaluate,
        flow=evaluate_flow,
        step=7,
    ),
    Job("report", "a run → one HTML file", "single steps", ReportSettings, report, flow=report_flow, step=8),
)
