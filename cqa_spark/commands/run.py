"""``cqa run``: all steps, from files to a report and a published run; ``cqa demo``: the same on a generated forum."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from cqa_spark.commands.ingest import IngestSettings
from cqa_spark.commands.jobs import Job, job_settings
from cqa_spark.commands.stages import print_report
from cqa_spark.errors import noted
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.conf_files import project_root
from cqa_spark.settings.experiments import ExperimentSettings, studied_not_run
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.sections import (
    AllowSharedThreads,
    Baseline,
    Command,
    EvaluationSettings,
    FeatureSettings,
    PageRows,
    Pages,
    Report,
    Systems,
    TrackedSettings,
    baseline_not_run,
)
from cqa_spark.settings.values import SAMPLE, InputFiles, NotHashed, OptionalLakeFolder, SiteName, is_remote

if TYPE_CHECKING:
    from cqa_spark.runtime.flow import Flow, Step
    from cqa_spark.systems.system import System


class RunSettings(IngestSettings, TrackedSettings):
    """Run all steps, from dumps to a report and a published run, in one Spark application."""

    examples = (
        "cqa run --config conf/demo.yaml",
        "cqa run --config conf/semeval2016.yaml --systems given_order best_a --no-publish",
        "cqa run --lake build/lake --train train.xml --dev dev.xml --systems given_order tfidf --dry-run",
    )
    needs = ("inputs.train", "systems")
    is_always_tracked = True
    rare = frozenset({"allow_shared_threads", "every_fold", "pages", "page_rows"})

    systems: Systems = ()
    baseline: Baseline = "given_order"
    allow_shared_threads: AllowSharedThreads = False
    every_fold: bool = Field(
        default=False,
        description="evaluate on the training queries, each ranked by models of the other features.folds folds; "
        "for data sets without evaluation data",
    )
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True
    report: Report = None
    pages: Pages = True
    page_rows: PageRows = 250_000
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    experiments: ExperimentSettings = ExperimentSettings()

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """No evaluation data, or a baseline that is not run."""
        inputs = values.get("inputs")
        held_out = isinstance(inputs, Mapping) and (inputs.get("dev") or inputs.get("test"))
        if values.get("every_fold") and held_out:
            yield "every_fold", "evaluates on the training files", "remove it, or the dev and test files"
        elif not values.get("every_fold") and not held_out:
            yield "inputs", "no evaluation data", "pass --dev FILE or --test FILE, or --every-fold"
        yield from baseline_not_run(values, "given_order")
        yield from studied_not_run(values)

    def writes(self) -> list[str]:
        """The tables of the run, the report, and the MLflow experiment."""
        published = "published" if self.publish else "not published"
        report = self.report or f"{self.lake}/runs/{self.run_id or '(new)'}.ATTEMPT/report.html"
        return [f"{super().writes()[0]}, {published}", report, *self.tracking.writes()]


class DemoSettings(Command):
    """Rank a small generated forum, or a dump of your own, and write the report.

    Without a dump, the forum is generated in build/sample, and the lake is build/lake. With one, this is a first night:
    what the dump has is printed first, then its answers are ranked, and the report says what the ranking is worth.
    """

    examples = ("cqa demo", "cqa demo --input beer.stackexchange.com.7z")

    input: Annotated[InputFiles, Field(description="dump of Stack Exchange: a folder, zip or 7z archive")] = ()
    site: SiteName | None = Field(default=None, description="site of the dump, if its folder or archive names none")
    lake: Annotated[
        OptionalLakeFolder,
        Field(description="lake of the first night; default: a new folder among the temporary ones, which stays"),
    ] = ""

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """A site or a lake for the generated forum, or a dump in object storage."""
        for key in ("site", "lake"):
            if values.get(key) and not values.get("input"):
                yield key, "is that of a dump, and no dump is given", "give --input DUMP, or remove it"
        if any(is_remote(path) for path in values.get("input") or ()):
            yield "input", "is not on this machine", "cqa nightly reads dumps in object storage"

    def reads(self) -> list[str]:
        """The settings of the demo, or the dump."""
        return list(self.input) or [str(project_root() / "conf" / "demo.yaml")]

    def writes(self) -> list[str]:
        """The sample with its lake, or the lake of the dump."""
        if not self.input:
            return ["build/sample: the forum, if it is absent", "build/lake: tables, rankings, models and the report"]
        return [f"{self.lake or 'a new temporary folder'}: tables, rankings and the report"]


def all_steps(settings: RunSettings) -> Flow:
    """Everything, from files to a report and a published run."""
    from cqa_spark.experiments.experiment import EveryFold, RankEveryQuery
    from cqa_spark.flows import annotated_files, evaluation_of, learning
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.evaluate import Evaluate, EvaluateSets
    from cqa_spark.steps.ingest import Ingest
    from cqa_spark.steps.lake_page import WriteLakePage, WriteThreads
    from cqa_spark.steps.pair import Pair
    from cqa_spark.steps.publish import Publish
    from cqa_spark.steps.report import Report as WriteReport
    from cqa_spark.steps.score import Score
    from cqa_spark.systems.recipes import at_random, read_systems, task_of
    from cqa_spark.task_contract.contract import TASKS
    from cqa_spark.task_contract.contract import task as task_named

    systems = read_systems(settings.systems)
    task = task_of(systems)
    evaluation = evaluation_of(settings.evaluation, task)
    steps: list[Step] = [
        Ingest(annotated_files(settings, settings.inputs.by_split(), systems), settings.corpus),
        Pair(TASKS.names(), allow_shared_threads=settings.allow_shared_threads),
        *learning(systems, task, settings.features, every_fold=settings.every_fold),
    ]
    if settings.every_fold:
        steps.append(RankEveryQuery(systems, EveryFold(settings.features.folds)))
    else:
        steps.append(Score(systems, task))
    steps.append(Evaluate(evaluation, settings.baseline, at_random(systems), cross_validated=settings.every_fold))
    if task_named(task).grades_pairs:
        steps.append(EvaluateSets(evaluation, settings.baseline))
    steps += _experiments(systems, settings, evaluation)
    steps.append(WriteReport(settings.report, evaluation.measures, settings.baseline))
    if settings.publish:
        if settings.pages:
            steps += [WriteThreads(settings.page_rows, served=False), WriteLakePage()]
        steps.append(Publish())
    return Flow("run", tuple(steps))


def _experiments(systems: Sequence[System], settings: RunSettings, evaluation: EvaluationSettings) -> list[Step]:
    """The experiments that the settings of a run enable."""
    from cqa_spark.experiments.cross_validation import CrossValidate
    from cqa_spark.experiments.experiment import HeldOut
    from cqa_spark.experiments.retraining import AblateFamilies, LearningCurve, OtherSeeds

    experiments = settings.experiments
    studied = [system for system in systems if system.name in experiments.systems]
    steps: list[Step] = []
    if experiments.cross_validation:
        steps.append(CrossValidate(systems, evaluation, settings.features, experiments))
    if experiments.ablation:
        steps.append(AblateFamilies(studied, evaluation))
    if experiments.learning_curve:
        steps.append(LearningCurve(studied, evaluation, settings.features, experiments.shares))
    if experiments.seeds > 1:
        steps.append(OtherSeeds(studied, evaluation, HeldOut(), experiments.seeds))
    return steps


def run(settings: RunSettings) -> None:
    """Run the flow, and print the table of systems."""
    from cqa_spark.lake.publishing import INDEX
    from cqa_spark.runtime.workspace import run_flow

    finished = run_flow(all_steps(settings), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        if settings.publish and settings.pages:
            Terminal().line(f"threads: {settings.lake}/{INDEX} searches them")
        Terminal().line(f"run: {finished.run_id}{', published' if settings.publish else ''}")


def demo(settings: DemoSettings) -> None:
    """Generate the sample if it is absent, and run all steps on it; or run a first night on the user's dump."""
    from cqa_spark.synth.qatar_living import write_sample

    if settings.input:
        _first_night(settings)
        return
    if not SAMPLE.exists():
        write_sample(SAMPLE, threads=200, dev_threads=60, seed=1)
    config = project_root() / "conf" / "demo.yaml"
    run(resolve("cqa demo", RunSettings, ["--config", str(config)], {}, job_settings).settings)


_SHOWN_SITES = 20


def _first_night(settings: DemoSettings) -> None:
    """Say what the dump has and what will be done, then run a night on it.

    Raises:
        InputError: there is no dump, or it cannot be read.
    """
    from cqa_spark.commands.nightly import nightly
    from cqa_spark.corpora.stackexchange.dump_files import find_archives
    from cqa_spark.corpora.stackexchange.ingest import access, dump_files
    from cqa_spark.corpora.stackexchange.survey import expected_seconds, survey
    from cqa_spark.settings.nightly import NightlySettings

    terminal = Terminal()
    lake = settings.lake or f"{mkdtemp(prefix='cqa-demo-')}/lake"
    arguments = ["--input", *settings.input, "--lake", lake, *(["--site", settings.site] if settings.site else [])]
    night = resolve("cqa demo", NightlySettings, arguments, {}, job_settings).settings
    for archive in find_archives(settings.input):
        terminal.line(f"{archive}, {Path(archive).stat().st_size / 1e6:,.1f} MB, is unpacked")
    sites = list(survey(dump_files(night), access(night)))
    for site in sites[:_SHOWN_SITES]:
        terminal.line(str(site))
    if len(sites) > _SHOWN_SITES:
        terminal.line(f"and {len(sites) - _SHOWN_SITES:,} more sites")
    cores = os.cpu_count() or 1
    seconds = expected_seconds(sites, cores)
    duration = f"{seconds / 60:,.0f} minutes" if seconds > 90 else f"{seconds:.0f} seconds"
    megabytes = sum(site.bytes for site in sites) / 1e6
    terminal.line(
        f"now: reads {megabytes:,.0f} MB, ranks the answers of questions with several, measures this on the past, and "
        f"writes a report; about {duration} on {cores} idle cores"
    )
    nightly(night)
    terminal.line(f"the next dump updates the rankings: cqa nightly --input DUMP --lake {lake}")


JOBS = (
    Job("run", "all steps, from dumps to a report and a published run", "end to end", RunSettings, run, flow=all_steps),
    Job("demo", "all steps on a generated forum, or a first night on your dump", "end to end", DemoSettings, demo),
)
