"""Flows that find duplicates."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark.config.settings import DuplicatesSettings
from cqa_spark.corpora.source import Source
from cqa_spark.features.registry import embedding_models, reads_texts
from cqa_spark.flows.shared_steps import training
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.step import Step
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.candidates import Candidates
from cqa_spark.steps.embed import Embed
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.systems.recipes import groups_of, learn, read_systems, task_of

_NOTHING_KEPT = "no_duplicates"
"""The system that decides when keeping candidates is worth it: by TMAP, it beats every order that is not cut."""


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
            *question_texts(groups_of(systems), retrieval.embeddings),
            Candidates(retrieval, trains=learn(systems)),
            *training(systems, task, settings.features),
            Score(systems, task),
            Evaluate(settings.evaluation, settings.baseline, second_baseline=_NOTHING_KEPT),
            Report(settings.report, settings.evaluation.measures, settings.baseline),
            *([Publish()] if settings.publish else []),
        ),
    )


def question_texts(groups: Sequence[str], model: str | None, last: Snapshot | None = None) -> tuple[Step, ...]:
    """The analysis of questions and their embeddings, as far as retrieval and feature groups need them.

    Args:
        groups: names of feature groups.
        model: embedding model of the retrieval; None for BM25 alone.
        last: the published run, whose texts are not analysed again; None to analyse all.
    """
    models = sorted({*embedding_models(groups), *([model] if model else [])})
    analysed = [Analyse(questions_only=True, last=last)] if models or reads_texts(groups) else []
    return (*analysed, *([Embed(models)] if models else []))
