"""Checks MLflow: the server or the SQLite file."""

import os
from collections.abc import Iterator
from pathlib import Path

from cqa_spark.config.tracking_settings import TrackingSettings
from cqa_spark.doctor.finding import Doubt, Finding, examine
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.runtime.mlflow_client import import_mlflow, without_retries


def examine_tracking(settings: TrackingSettings) -> Iterator[Finding]:
    """Look up the experiment in MLflow; without MLflow, runs succeed but are not logged."""
    if settings.enabled:
        yield examine("MLflow", lambda: _look_up(settings))


def _look_up(settings: TrackingSettings) -> str:
    try:
        mlflow = import_mlflow()
    except EnvironmentProblem as error:
        raise Doubt(error.problem, f"{error.remedy}; until then, runs are not logged") from error
    file = settings.sqlite_file
    if file is not None and not file.exists():
        _require_writable(file)
        return f"{settings.uri}: the first run creates the file"  # MLflow would create it when asked
    try:
        with without_retries():
            there = mlflow.MlflowClient(settings.uri).get_experiment_by_name(settings.experiment)
    except Exception as error:  # any error of a tracking client is only a warning, as in a run
        raise Doubt(
            f"{settings.uri}: {str(error).splitlines()[0]}",
            "start the server, correct tracking.uri, or set tracking.enabled to false; until then, runs are not logged",
        ) from error
    return f"{settings.uri}: experiment {settings.experiment}{'' if there else ', which the first run creates'}"


def _require_writable(file: Path) -> None:
    """Check that the file can be created, without doing so.

    Raises:
        Doubt: the nearest existing folder above it cannot be written.
    """
    above = next(folder for folder in file.absolute().parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise Doubt(f"{file} cannot be created in {above}", "correct tracking.uri; until then, runs are not logged")
