"""Every step from dumps to a published run, in one Spark application."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import functions as F

from cqa_spark.config.settings import RunSettings
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.experiments.step import experiments_step
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.reports.content.report import RunReport
from cqa_spark.runtime.tracking import metric_name, track
from cqa_spark.runtime.workspace import open_run_in, write_lake
from cqa_spark.steps.analyse import analyse_step
from cqa_spark.steps.evaluate import evaluate_step
from cqa_spark.steps.ingest import ingest_step, input_files
from cqa_spark.steps.pair import pair_step
from cqa_spark.steps.publish import publish_run
from cqa_spark.steps.report import report_step, show
from cqa_spark.steps.score import score_step, trained_in_run
from cqa_spark.steps.train import learn, model_artifact
from cqa_spark.systems.recipes import read_systems, task_of
from cqa_spark.systems.system import System
from cqa_spark.tasks.registry import known_tasks


def run(settings: RunSettings) -> None:
    """Ingest, pair, analyse, featurize, train, score, evaluate, report, publish, track."""
    inputs = input_files(settings.inputs.by_split(), settings.object_storage)
    systems = read_systems(settings.systems)
    task = task_of(systems)
    with write_lake(settings, "run") as lake:
        with open_run_in(lake, settings, "run", resume=False) as opened:
            content = _all_steps(opened, inputs, task, systems, settings)
        if settings.publish:
            publish_run(lake, opened.run_id)
    if settings.tracking.enabled:
        _track(opened, settings, content)
    show(content, opened.record.artifacts["report"])
    print(f"run: {opened.run_id}{', published' if settings.publish else ''}")


def _all_steps(
    opened: Run, inputs: Sequence[InputFile], task: str, systems: Sequence[System], settings: RunSettings
) -> RunReport:
    ingest_step(opened, inputs, corpus=settings.corpus, site=settings.site)
    pair_step(opened, tasks=known_tasks(), allow_shared_threads=settings.allow_shared_threads)
    analyse_step(opened)
    systems = learn(opened, systems, task=task, features=settings.features)
    score_step(opened, trained_in_run(opened, [system.name for system in systems]), task=task)
    evaluate_step(opened, settings.evaluation, baseline=settings.baseline)
    experiments_step(opened, settings.experiments, settings.evaluation, systems, features=settings.features)
    return report_step(opened, path=settings.report, measures=settings.evaluation.measures, baseline=settings.baseline)


def _track(finished: Run, settings: RunSettings, content: RunReport) -> None:
    metrics = finished.read(METRICS).where(F.col("split") == content.evaluation.split)
    values = {metric_name(m["system"], m["measure"]): m["value"] for m in metrics.collect()}
    parameters = {
        "task": content.evaluation.task,
        "systems": " ".join(settings.systems),
        "config_hash": finished.record.config_hash,
        "folds": str(settings.features.folds),
        "evaluation_seed": str(settings.evaluation.seed),
        **{f"inputs_{split}": " ".join(paths) for split, paths in settings.inputs.by_split().items()},
    }
    artifacts = finished.record.artifacts
    best = content.evaluation.best_system
    track(
        finished.record,
        settings.tracking,
        parameters,
        values,
        {"report": artifacts["report"], f"model/{best}": artifacts[model_artifact(best)]},
        settings.object_storage,
    )
