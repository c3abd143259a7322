"""The flow of ``cqa duplicates``."""

from cqa_spark.corpora.source import Source
from cqa_spark.flows.shared_steps import evaluation_of, training
from cqa_spark.runtime.flow import Flow
from cqa_spark.settings.duplicates import DuplicatesSettings
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.systems.recipes import groups_of, learn, read_systems, task_of
from cqa_spark.tasks.duplicate.candidates import RetrieveCandidates, question_texts
from cqa_spark.tasks.duplicate.task import Duplicate

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
    evaluation = evaluation_of(settings.evaluation, task)
    return Flow(
        "duplicates",
        (
            Ingest(source, settings.dump_format or Duplicate.formats[0]),
            *question_texts(groups_of(systems), retrieval.embeddings),
            RetrieveCandidates(Duplicate(), retrieval, trains=learn(systems)),
            *training(systems, task, settings.features),
            Score(systems, task),
            Evaluate(evaluation, settings.baseline, second_baseline=_NOTHING_KEPT),
            Report(settings.report, evaluation.measures, settings.baseline),
            *([Publish()] if settings.publish else []),
        ),
    )
