"""``cqa train``: the systems of a run, or one system on files."""

from __future__ import annotations

from cqa_spark import flows
from cqa_spark.config.settings import TrainSettings
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import given, run_flow, temporary_lake
from cqa_spark.systems.trained_system import model_artifact, trained_system


def train(settings: TrainSettings) -> None:
    """Train the systems of a run, or one system on files if a folder for its model is given."""
    if settings.model is None or settings.system is None:
        run_flow(flows.train(settings, given(settings)), settings, resume=True)
        return
    with temporary_lake(settings) as job:
        run = run_flow(flows.train_on_files(settings), job)
        trained_system(run, model_artifact(settings.system)).save(settings.model, settings.object_storage)
    Terminal().line(f"{settings.system} trained: {settings.model}")
