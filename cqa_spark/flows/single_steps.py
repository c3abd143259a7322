"""Flows of one step each, which continue a run."""

from collections.abc import Collection

from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.flows.shared_steps import evaluation_of, text_steps
from cqa_spark.runtime.flow import Flow
from cqa_spark.settings.files import ScoreSettings, TrainSettings
from cqa_spark.settings.preferred_answer import FeatureAuditSettings
from cqa_spark.settings.sections import EvaluationSettings
from cqa_spark.settings.stages import EvaluateSettings, FeaturizeSettings, PairSettings, ReportSettings
from cqa_spark.steps.audit import Audit
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.pair import Pair
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.steps.train import Train
from cqa_spark.steps.upstream import TrainUpstream, upstream_of
from cqa_spark.systems.recipes import at_random, groups_of, rank_by_words, read_systems, task_of
from cqa_spark.systems.system import known_systems
from cqa_spark.systems.trained_system import model_artifact
from cqa_spark.task_contract.contract import TASKS

Given = Collection[str] | None
"""Names of tables and artifacts that a resumed run has; None if unknown, as in a dry run."""


def pair(settings: PairSettings, given: Given = None) -> Flow:
    """Community tables → examples."""
    return Flow("pair", (Pair(TASKS.names(), allow_shared_threads=settings.allow_shared_threads),), given)


def featurize(settings: FeaturizeSettings, given: Given = None) -> Flow:
    """Examples → features, with the texts that they need."""
    systems = read_systems(settings.systems)
    groups = groups_to_compute(settings)
    task = settings.task or task_of(systems)
    upstream = [each.system for each in upstream_of(systems)]
    return Flow(
        "featurize",
        (
            *text_steps([*groups, *groups_of(upstream)], words=rank_by_words([*systems, *upstream])),
            *([TrainUpstream(systems, settings.features)] if upstream_of(systems) else []),
            Featurize(groups, task, settings.features, strict=settings.strict),
        ),
        given,
    )


def groups_to_compute(settings: FeaturizeSettings) -> list[str]:
    """The groups that the settings name, and those that their systems need, each once."""
    return list(dict.fromkeys([*groups_of(read_systems(settings.systems)), *settings.groups]))


def train(settings: TrainSettings, given: Given = None) -> Flow:
    """Features → models."""
    systems = read_systems(settings.systems)
    return Flow("train", (Train(systems, task_of(systems)),), given)


def score(settings: ScoreSettings, given: Given = None) -> Flow:
    """Models → rankings."""
    systems = read_systems(settings.systems)
    return Flow("score", (Score(systems, task_of(systems)),), given)


def evaluate(settings: EvaluateSettings, given: Given = None) -> Flow:
    """Rankings → metrics.

    Raises:
        ConfigError: the baseline is not among the systems of the run.
    """
    prefix = model_artifact("")
    trained = sorted(name.removeprefix(prefix) for name in given or () if name.startswith(prefix))
    if trained and settings.baseline not in trained:
        raise ConfigError(
            f"baseline: run {settings.run_id} has no system {settings.baseline}",
            f"name one of {', '.join(trained)} with --baseline",
        )
    chance = at_random(read_systems(known_systems()))
    return Flow("evaluate", (Evaluate(_evaluation(settings), settings.baseline, chance),), given)


def report(settings: ReportSettings, given: Given = None) -> Flow:
    """Metrics → a page."""
    return Flow("report", (Report(settings.report, _evaluation(settings).measures, settings.baseline),), given)


def _evaluation(settings: EvaluateSettings | ReportSettings) -> EvaluationSettings:
    """The evaluation of the task of the baseline."""
    return evaluation_of(settings.evaluation, task_of(read_systems([settings.baseline])))


def audit(settings: FeatureAuditSettings, given: Given = None) -> Flow:
    """Features → a check that they do not depend on the future."""
    groups = settings.audit.groups or tuple(name for name in known_groups() if group_class(name).is_as_of)
    return Flow("features audit", (Audit(groups, settings.audit.moments, settings.features),), given)
