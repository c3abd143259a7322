"""``cqa duplicates``: a dump → for each question, the earlier questions that it duplicates, if any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.commands.stages import print_report
from cqa_spark.errors import noted
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.sections import (
    Baseline,
    EvaluationSettings,
    FeatureSettings,
    InputFormat,
    Report,
    RetrievalSettings,
    Systems,
    TrackedSettings,
    baseline_not_run,
)
from cqa_spark.settings.values import NotHashed

if TYPE_CHECKING:
    from cqa_spark.corpora.source import Source
    from cqa_spark.runtime.flow import Flow


_NOTHING_KEPT = "no_duplicates"
"""The system that decides when keeping candidates is worth it: by TMAP, it beats every order that is not cut."""


class DuplicatesSettings(DumpJobSettings, TrackedSettings):
    """Find duplicates of questions among the earlier ones: index, retrieve, train, rank, evaluate and publish."""

    examples = (
        "cqa duplicates --config conf/duplicates.yaml --input cs.stackexchange.com/ --lake build/lake",
        "cqa duplicates --config conf/duplicates.yaml --input dumps/*.7z --lake build/lake",
    )
    needs = ("dumps.input", "systems")

    dump_format: InputFormat = None
    systems: Systems = ()
    baseline: Baseline = "given_order"
    retrieval: RetrievalSettings = RetrievalSettings()
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True
    report: Report = None

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """A baseline that is not run."""
        return baseline_not_run(values, "given_order")

    def writes(self) -> list[str]:
        """The tables of the run, and the report."""
        published = "published" if self.publish else "not published"
        return [f"{self.lake}: tables of run {self.run_id or '(new)'}, {published}"]


def duplicates_flow(settings: DuplicatesSettings, source: Source) -> Flow:
    """A dump → an index, candidates, rankings cut at a learned threshold, and metrics.

    Args:
        settings: of the job.
        source: the dump.
    """
    from cqa_spark.flows import evaluation_of, training
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.evaluate import Evaluate
    from cqa_spark.steps.ingest import Ingest
    from cqa_spark.steps.publish import Publish
    from cqa_spark.steps.report import Report as WriteReport
    from cqa_spark.steps.score import Score
    from cqa_spark.systems.recipes import groups_of, learn, read_systems, task_of
    from cqa_spark.tasks.duplicate.candidates import RetrieveCandidates, question_texts
    from cqa_spark.tasks.duplicate.task import Duplicate

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
            WriteReport(settings.report, evaluation.measures, settings.baseline),
            *([Publish()] if settings.publish else []),
        ),
    )


def planned_flow(settings: DuplicatesSettings) -> Flow:
    """The flow that the job would run now."""
    from cqa_spark.corpora.source import planned_dump
    from cqa_spark.tasks.duplicate.task import Duplicate

    return duplicates_flow(settings, planned_dump(settings.dump_format or Duplicate.formats[0], settings))


def duplicates(settings: DuplicatesSettings) -> None:
    """Run the flow and print the table of systems and the paired tests.

    Raises:
        InputError: a site has several dumps.
    """
    from cqa_spark.corpora.source import one_dump
    from cqa_spark.reports.sections import systems
    from cqa_spark.runtime.workspace import run_flow
    from cqa_spark.steps.report import written_report
    from cqa_spark.tasks.duplicate.task import Duplicate

    source = one_dump(settings.dump_format or Duplicate.formats[0], settings)
    finished = run_flow(duplicates_flow(settings, source), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        terminal = Terminal()
        written_report(finished).show(terminal, systems.SECTION)
        terminal.line(f"run: {finished.run_id}{', published' if settings.publish else ''}")


JOBS = (
    Job(
        "duplicates",
        "a dump → for each question, the earlier questions that it duplicates",
        "end to end",
        DuplicatesSettings,
        duplicates,
        flow=planned_flow,
    ),
)
