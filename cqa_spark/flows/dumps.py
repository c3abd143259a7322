"""Flows over dumps of entire sites."""

from __future__ import annotations

from collections.abc import Mapping

from cqa_spark.config.settings import NightlySettings
from cqa_spark.corpora.source import Source
from cqa_spark.errors import ConfigError
from cqa_spark.flows.duplicates import nightly_duplicates
from cqa_spark.flows.shared_steps import text_analysis
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.runtime.flow import Flow
from cqa_spark.steps.changes import Changes
from cqa_spark.steps.check import Check
from cqa_spark.steps.dataset import EveryQuestion
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.export import Export
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.refresh import RefreshFeatures, RefreshRankings
from cqa_spark.steps.report import Report
from cqa_spark.steps.reuse import KeepModels
from cqa_spark.steps.train import Train
from cqa_spark.systems.recipes import groups_of, read_systems, task_of
from cqa_spark.systems.system import System
from cqa_spark.tasks.duplicate import Duplicate
from cqa_spark.tasks.preferred_answer import PreferredAnswer

NIGHT_BASELINES = {PreferredAnswer.name: "first_answer", Duplicate.name: "bm25_order"}
"""By task, the system that others are compared with."""


def ingest_dump(source: Source, *, publish: bool) -> Flow:
    """A dump → community tables.

    Args:
        source: the dump.
        publish: publish the run after checks.
    """
    return Flow("ingest stackexchange", (Ingest(source), *([Publish()] if publish else [])))


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
    systems = night_systems(settings)
    task = task_of(systems)
    kept, baseline = kept or {}, NIGHT_BASELINES[task]
    if task == Duplicate.name:
        return nightly_duplicates(settings, source, systems, baseline, last=last, kept=kept)
    new = [system for system in systems if system.name not in kept]
    names, groups = [system.name for system in systems], groups_of(systems)
    measures = settings.evaluation.measures
    return Flow(
        "nightly",
        (
            *([KeepModels(kept)] if kept else []),
            Ingest(source),
            EveryQuestion(settings.answers, tuple(kept), bool(new), None if settings.full else last),
            *text_analysis(systems),
            *([Featurize(groups_of(new), task, settings.features), Train(new, task)] if new else []),
            *([Changes(last, names, groups, settings)] if last is not None else []),
            RefreshFeatures(names, groups, last, task, settings.features),
            RefreshRankings(systems, last, task),
            Evaluate(settings.evaluation, baseline, last=None if settings.full else last),
            Check(last, settings.checks, settings.system, measures[0]),
            Report(settings.report, measures, baseline),
            Publish(force=settings.force, who=settings.who),
            Export(settings.system),
        ),
    )


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
