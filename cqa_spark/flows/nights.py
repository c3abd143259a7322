"""The nightly flow, for each task that nights rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cqa_spark.config.settings import NightlySettings
from cqa_spark.corpora.source import Source
from cqa_spark.errors import ConfigError
from cqa_spark.flows.duplicates import question_texts
from cqa_spark.flows.shared_steps import text_analysis, training
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.step import Step
from cqa_spark.steps.candidates import Candidates
from cqa_spark.steps.changes import Changes
from cqa_spark.steps.check import Check
from cqa_spark.steps.compute_features import ComputeFeatures
from cqa_spark.steps.dataset import EveryQuestion
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.kept_models import KeepModels
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.systems.recipes import groups_of, learn, read_systems, task_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact
from cqa_spark.tasks.duplicate import Duplicate
from cqa_spark.tasks.preferred_answer import PreferredAnswer

NIGHT_BASELINES = {PreferredAnswer.name: "first_answer", Duplicate.name: "bm25_order"}
"""By task, the system that others are compared with."""


def nightly(
    settings: NightlySettings, source: Source, *, last: Snapshot | None = None, kept: Mapping[str, str] | None = None
) -> Flow:
    """A new dump → rankings of its changed sites, checked and published.

    Args:
        settings: of the job.
        source: the dump.
        last: the published run; None before the first publication.
        kept: folder of each reused trained system, by name.
    """
    systems, kept = night_systems(settings), kept or {}
    task = task_of(systems)
    ranked_once = task == Duplicate.name
    new = [system for system in systems if system.name not in kept]
    names, groups = [system.name for system in systems], groups_of(systems)
    baseline, measures = NIGHT_BASELINES[task], settings.evaluation.measures
    unchanged = None if settings.full else last
    return Flow(
        "nightly",
        (
            *([KeepModels(kept)] if kept else []),
            Ingest(source),
            *_examples(settings, systems, new, kept, unchanged),
            *(training(new, task, settings.features) if new else []),
            ComputeFeatures(names, groups, task, settings.features, unchanged, ranked_once, computed=groups_of(new)),
            Score(systems, task, unchanged, ranked_once),
            Evaluate(settings.evaluation, baseline, last=unchanged),
            *([] if last is None else [Changes(last)]),
            Check(last, settings.checks, settings.system, measures[0]),
            Report(settings.report, measures, baseline),
            Publish(force=settings.force, who=settings.who),
        ),
    )


def _examples(
    settings: NightlySettings,
    systems: Sequence[System],
    new: Sequence[System],
    kept: Mapping[str, str],
    last: Snapshot | None,
) -> tuple[Step, ...]:
    """The steps from community tables to examples and analysed texts.

    Args:
        settings: of the job.
        systems: the systems that rank.
        new: those that are trained in this night.
        kept: folders of the reused ones, by name.
        last: the published run, whose rows of unchanged sites are kept; None to compute all rows.
    """
    # Other systems may have needed other texts, such as questions alone.
    models = last.record.artifacts if last is not None else {}
    is_same = not new and all(models.get(model_artifact(name)) == folder for name, folder in kept.items())
    with_same_texts = last if is_same else None
    if task_of(systems) == Duplicate.name:
        retrieval = settings.retrieval
        texts = question_texts(groups_of(systems), retrieval.embeddings, with_same_texts)
        return *texts, Candidates(retrieval, trains=learn(new), last=last)
    examples = EveryQuestion(settings.answers, tuple(kept), tuple(system.name for system in new), last)
    return examples, *text_analysis(systems, last=with_same_texts)


def night_systems(settings: NightlySettings) -> list[System]:
    """The system that a night ranks with, and the baseline of its task.

    Raises:
        ConfigError: the system is for another task than the settings name, or nights do not rank for its task.
    """
    [system] = read_systems([settings.system])
    if system.task not in NIGHT_BASELINES or settings.task not in (None, system.task):
        raise ConfigError(
            f"{system.name} ranks for the task {system.task}",
            f"name a system of {settings.task or ' or '.join(NIGHT_BASELINES)}: --system, of cqa systems list",
        )
    return [system, *read_systems([NIGHT_BASELINES[system.task]])]
