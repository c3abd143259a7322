"""Flows that find duplicates."""

from __future__ import annotations

from cqa_spark.config.settings import DuplicatesSettings
from cqa_spark.corpora.source import Source
from cqa_spark.flows.shared_steps import learning
from cqa_spark.runtime.flow import Flow
from cqa_spark.steps.candidates import Candidates
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.systems.recipes import groups_of, read_systems, task_of


def duplicates(settings: DuplicatesSettings, source: Source) -> Flow:
    """A dump → an index, candidates, rankings cut at a learned threshold, and metrics.

    Args:
        settings: of the job.
        source: the dump.
    """
    systems = read_systems(settings.systems)
    task = task_of(systems)
    return Flow(
        "duplicates",
        (
            Ingest(source),
            Candidates(settings.retrieval, trains=bool(groups_of(systems))),
            *learning(systems, task, settings.features),
            Score(systems, task),
            Evaluate(settings.evaluation, settings.baseline),
            Report(settings.report, settings.evaluation.measures, settings.baseline),
            *([Publish()] if settings.publish else []),
        ),
    )
