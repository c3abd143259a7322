"""``cqa run``: all steps, from files to a report and a published run."""

from __future__ import annotations

from threading import Thread

from cqa_spark import flows
from cqa_spark.commands.report import print_report
from cqa_spark.config.run_settings import RunSettings
from cqa_spark.errors import noted
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.tracking import metric_name, open_tracking, track
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.steps.report import written_report
from cqa_spark.systems.recipes import read_systems, task_of
from cqa_spark.systems.trained_system import model_artifact


def run(settings: RunSettings) -> None:
    """Run the flow, print the table of systems, log the run to MLflow."""
    opening = Thread(target=open_tracking, args=(settings.tracking, settings.object_storage), daemon=True)
    if settings.tracking.enabled:
        opening.start()  # while Spark computes
    finished = run_flow(flows.run(settings), settings)
    with noted(f"run {finished.run_id} is {'published' if settings.publish else 'finished, and not published'}"):
        print_report(finished)
        Terminal().line(f"run: {finished.run_id}{', published' if settings.publish else ''}")
        if settings.tracking.enabled:
            opening.join()
            _track(finished, settings)


def _track(finished: Run, settings: RunSettings) -> None:
    headline = written_report(finished).head.evaluation
    metrics = [entry for entry in finished.entries(METRICS) if entry["split"] == headline.split]
    parameters = {
        "task": task_of(read_systems(settings.systems)),
        "systems": " ".join(settings.systems),
        "config_hash": finished.record.config_hash,
        "folds": str(settings.features.folds),
        "evaluation_seed": str(settings.evaluation.seed),
        **{f"inputs_{split}": " ".join(paths) for split, paths in settings.inputs.by_split().items()},
    }
    artifacts, best = finished.record.artifacts, headline.best_system
    track(
        finished.record,
        settings.tracking,
        parameters,
        {metric_name(entry["system"], entry["measure"]): entry["value"] for entry in metrics},
        {"report": artifacts["report"], f"model/{best}": artifacts[model_artifact(best)]},
        settings.object_storage,
    )
