"""Flows that find duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cqa_spark.config.settings import DuplicatesSettings, NightlySettings
from cqa_spark.corpora.source import Source
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.flows.shared_steps import training
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.step import Step
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.candidates import Candidates
from cqa_spark.steps.changed_candidates import ChangedCandidates
from cqa_spark.steps.check import Check
from cqa_spark.steps.embed import Embed
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.export import Export
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.refresh import RefreshFeatures, RefreshRankings
from cqa_spark.steps.report import Report
from cqa_spark.steps.reuse import KeepModels
from cqa_spark.steps.score import Score
from cqa_spark.systems.recipes import groups_of, learn, read_systems, task_of
from cqa_spark.systems.system import System


def duplicates(settings: DuplicatesSettings, source: Source) -> Flow:
    """A dump → an index, candidates, rankings cut at a learned threshold, and metrics.

    Args:
        settings: of the job.
        source: the dump.
    """
    systems, retrieval = read_systems(settings.systems), settings.retrieval
    task = task_of(systems)
    return Flow(
        "duplicates",
        (
            Ingest(source),
            *_texts(groups_of(systems), retrieval.embeddings),
            Candidates(retrieval, trains=learn(systems)),
            *training(systems, task, settings.features),
            Score(systems, task),
            Evaluate(settings.evaluation, settings.baseline),
            Report(settings.report, settings.evaluation.measures, settings.baseline),
            *([Publish()] if settings.publish else []),
        ),
    )


def nightly_duplicates(
    settings: NightlySettings,
    source: Source,
    systems: Sequence[System],
    baseline: str,
    *,
    last: Snapshot | None,
    kept: Mapping[str, str],
) -> Flow:
    """A new dump → an index with its new questions, and the duplicates of these, checked, published and exported.

    Args:
        settings: of the job.
        source: the dump.
        systems: the system to rank with, and the baseline.
        baseline: name of the baseline.
        last: the published run; None before the first publication.
        kept: folder of each reused trained system, by name.
    """
    new = [system for system in systems if system.name not in kept]
    names, groups = [system.name for system in systems], groups_of(systems)
    task, measures = task_of(systems), settings.evaluation.measures
    return Flow(
        "nightly",
        (
            *([KeepModels(kept)] if kept else []),
            Ingest(source),
            *_texts(groups, settings.retrieval.embeddings),
            Candidates(settings.retrieval, trains=learn(new), last=None if settings.full else last),
            *(training(new, task, settings.features) if new else []),
            *([ChangedCandidates(last, names, task, settings)] if last is not None else []),
            RefreshFeatures(names, groups, last, task, settings.features, ranked_once=True),
            RefreshRankings(systems, last, task, ranked_once=True),
            Evaluate(settings.evaluation, baseline),
            Check(last, settings.checks, settings.system, measures[0]),
            Report(settings.report, measures, baseline),
            Publish(force=settings.force, who=settings.who),
            Export(settings.system),
        ),
    )


def _texts(groups: Sequence[str], model: str | None) -> tuple[Step, ...]:
    """The analysis of questions and their embeddings, as far as retrieval and feature groups need them."""
    models = sorted({*embedding_models(groups), *([model] if model else [])})
    analysed = [Analyse(questions_only=True)] if models or reads_texts(groups) else []
    return (*analysed, *([Embed(models)] if models else []))
