"""The nightly flow, for each task that nights rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cqa_spark.config.settings import NightlySettings
from cqa_spark.corpora.source import Source
from cqa_spark.errors import ConfigError
from cqa_spark.flows.duplicates import question_texts
from cqa_spark.flows.shared_steps import text_analysis, training
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.step import Step
from cqa_spark.steps.affected import Affected
from cqa_spark.steps.candidates import Candidates
from cqa_spark.steps.changed_candidates import ChangedCandidates
from cqa_spark.steps.changes import Changes
from cqa_spark.steps.check import Check
from cqa_spark.steps.dataset import EveryQuestion
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.export import Export
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.refresh_features import RefreshFeatures
from cqa_spark.steps.refresh_rankings import RefreshRankings
from cqa_spark.steps.report import Report
from cqa_spark.steps.reuse import KeepModels
from cqa_spark.systems.recipes import groups_of, learn, read_systems, task_of
from cqa_spark.systems.system import System
from cqa_spark.tasks.duplicate import Duplicate
from cqa_spark.tasks.preferred_answer import PreferredAnswer

NIGHT_BASELINES = {PreferredAnswer.name: "first_answer", Duplicate.name: "bm25_order"}
"""By task, the system that others are compared with."""


def nightly(
    settings: NightlySettings, source: Source, *, last: Snapshot | None = None, kept: Mapping[str, str] | None = None
) -> Flow:
    """A new dump → recomputed rows, checked, published and exported.

    Args:
        settings: of the job.
        source: the dump.
        last: the published run; None before the first publication.
        kept: folder of each reused trained system, by name.
    """
    systems, kept = night_systems(settings), kept or {}
    task = task_of(systems)
    is_ranked_once = task == Duplicate.name
    new = [system for system in systems if system.name not in kept]
    names, groups = [system.name for system in systems], groups_of(systems)
    baseline, measures = NIGHT_BASELINES[task], settings.evaluation.measures
    compared = None if settings.full else last
    return Flow(
        "nightly",
        (
            *([KeepModels(kept)] if kept else []),
            Ingest(source),
            *([Changes(last, () if new else names, groups, settings)] if last and task == PreferredAnswer.name else []),
            *_examples(settings, systems, new, kept, compared),
            *(training(new, task, settings.features) if new else []),
            *([] if last is None else [_affected(settings, last, names, groups, task)]),
            RefreshFeatures(names, groups, last, task, settings.features, ranked_once=is_ranked_once),
            RefreshRankings(systems, last, task, ranked_once=is_ranked_once),
            Evaluate(settings.evaluation, baseline, last=None if is_ranked_once else compared),
            Check(last, settings.checks, settings.system, measures[0]),
            Report(settings.report, measures, baseline),
            Publish(force=settings.force, who=settings.who),
            Export(settings.system),
        ),
    )


def _examples(
    settings: NightlySettings,
    systems: Sequence[System],
    new: Sequence[System],
    kept: Iterable[str],
    compared: Snapshot | None,
) -> tuple[Step, ...]:
    """The steps from community tables to examples and analysed texts.

    Args:
        settings: of the job.
        systems: the systems that rank.
        new: those that are trained in this night.
        kept: names of the reused ones.
        compared: the published run whose rows are kept; None to compute all rows.
    """
    if task_of(systems) == Duplicate.name:
        retrieval = settings.retrieval
        texts = question_texts(groups_of(systems), retrieval.embeddings)
        return *texts, Candidates(retrieval, trains=learn(new), last=compared)
    return EveryQuestion(settings.answers, tuple(kept), bool(new), compared), *text_analysis(systems)


def _affected(settings: NightlySettings, last: Snapshot, names: list[str], groups: Sequence[str], task: str) -> Step:
    """The step that finds the examples to rank again."""
    if task == Duplicate.name:
        return ChangedCandidates(last, names, task, settings)
    return Affected(last, groups, settings.features)


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
