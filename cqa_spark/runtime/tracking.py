"""MLflow: logs finished runs with measures, report, manifest and models, and parameter searches with trials."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.tracking_settings import TrackingSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.errors import EnvironmentProblem, message_of
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.object_store.locations import fetch
from cqa_spark.object_store.storage import delta_address
from cqa_spark.process.disk_failures import disk_problem
from cqa_spark.process.terminal import Terminal


@dataclass(frozen=True)
class LoggedTrial:
    """One trial of a search, as logged to MLflow.

    Attributes:
        name: of the trial.
        parameters: drawn parameters, by path.
        metrics: results, as fractions.
        repeats: the measure of each repeat; empty without repeats.
    """

    name: str
    parameters: Mapping[str, float | int]
    metrics: Mapping[str, float]
    repeats: Sequence[float] = ()


def open_tracking(settings: TrackingSettings, storage: ObjectStorageSettings) -> None:
    """Import MLflow and create its database, which takes seconds; ``track`` reports failures.

    Args:
        settings: the tracking settings.
        storage: object storage settings.
    """
    with suppress(Exception):
        _configure_mlflow_storage(storage)
        _opened(settings)


def track(
    record: RunRecord,
    settings: TrackingSettings,
    parameters: Mapping[str, str],
    metrics: Mapping[str, float],
    artifacts: Mapping[str, str],
    storage: ObjectStorageSettings | None = None,
) -> bool:
    """Log a run; if the server cannot be reached, print a warning to stderr.

    Args:
        record: the run.
        settings: where to log.
        parameters: settings by dotted key.
        metrics: value by ``metric_name``.
        artifacts: file or folder by artifact folder.
        storage: object storage settings; None for Amazon's.

    Returns:
        Whether it was logged.

    Raises:
        EnvironmentProblem: the disk of the SQLite file or of the artifacts is full.
    """
    try:
        _log(record, settings, parameters, metrics, artifacts, storage or ObjectStorageSettings())
    except Exception as error:  # no error of a tracking client may fail the run
        _warn("run", settings, error)
        return False
    return True


def track_trials(
    settings: TrackingSettings, name: str, parameters: Mapping[str, object], trials: Sequence[LoggedTrial], verdict: str
) -> bool:
    """Log a search for parameters: a run for the search, and a nested one per trial.

    Args:
        settings: where to log; if the server cannot be reached, a warning goes to stderr.
        name: of the search.
        parameters: search space and method.
        trials: with their outcomes.
        verdict: conclusion of the search.

    Returns:
        Whether it was logged.

    Raises:
        EnvironmentProblem: the disk of the SQLite file is full.
    """
    try:
        mlflow = _opened(settings)
        with mlflow.start_run(run_name=name):
            mlflow.log_params(dict(parameters))
            mlflow.set_tag("verdict", verdict)
            for trial in trials:
                with mlflow.start_run(run_name=trial.name, nested=True):
                    mlflow.log_params(dict(trial.parameters))
                    mlflow.log_metrics(dict(trial.metrics))
                    for repeat, value in enumerate(trial.repeats):
                        mlflow.log_metric("repeat", value, step=repeat)
    except Exception as error:  # no error of a tracking client may fail the search
        _warn("search", settings, error)
        return False
    return True


def metric_name(system: str, measure: str) -> str:
    """The MLflow name of a system's measure, such as ``best_a/MAP_at_10``; MLflow allows no ``@``."""
    return f"{system}/{measure.replace('@', '_at_')}"


def _warn(what: str, settings: TrackingSettings, error: Exception) -> None:
    """Warn that something was not tracked; raise an error for a full disk, which would affect the next run too."""
    message = f"the {what} was not tracked in MLflow ({settings.uri})"
    if problem := disk_problem(error):
        raise EnvironmentProblem(f"{message}: {problem.problem}", problem.remedy) from error
    Terminal(stderr=True).text(f"warning: {message}: {message_of(error)}")


def _log(
    record: RunRecord,
    settings: TrackingSettings,
    parameters: Mapping[str, str],
    metrics: Mapping[str, float],
    artifacts: Mapping[str, str],
    storage: ObjectStorageSettings,
) -> None:
    _configure_mlflow_storage(storage)
    mlflow = _opened(settings)
    with mlflow.start_run(run_name=record.run_id), tempfile.TemporaryDirectory() as folder:
        mlflow.set_tags({"run_id": record.run_id, "code_version": record.code_version})
        mlflow.log_params(dict(parameters))
        mlflow.log_metrics(dict(metrics))
        manifest = Path(folder) / "manifest.json"
        manifest.write_text(json.dumps(asdict(record), default=str, indent=2), encoding="utf-8")
        mlflow.log_artifact(str(manifest))
        with _on_this_machine(artifacts, storage) as here:
            for name, path in here.items():
                log = mlflow.log_artifacts if path.is_dir() else mlflow.log_artifact
                log(str(path), artifact_path=name)


def _opened(settings: TrackingSettings) -> Any:
    """MLflow, set to the experiment of the settings."""
    mlflow = import_mlflow()
    mlflow.set_tracking_uri(settings.uri)
    if mlflow.get_experiment_by_name(settings.experiment) is None:
        mlflow.create_experiment(settings.experiment, artifact_location=_artifact_location(settings))
    mlflow.set_experiment(settings.experiment)
    return mlflow


def _artifact_location(settings: TrackingSettings) -> str | None:
    """The location in the settings, else a folder beside the SQLite file; None for a server, which has its own.

    MLflow's default would be the working directory.
    """
    if settings.artifacts is not None:
        remote = is_remote(settings.artifacts)
        return delta_address(settings.artifacts) if remote else Path(settings.artifacts).resolve().as_uri()
    file = settings.sqlite_file
    return None if file is None else Path(f"{file}.artifacts").resolve().as_uri()


def _configure_mlflow_storage(storage: ObjectStorageSettings) -> None:
    """Configure MLflow's object storage as in the settings; it reads environment variables only."""
    if storage.endpoint:
        os.environ["MLFLOW_S3_ENDPOINT_URL"] = storage.endpoint
    os.environ["MLFLOW_BOTO_CLIENT_ADDRESSING_STYLE"] = "path" if storage.path_style else "auto"
    os.environ.setdefault("AWS_DEFAULT_REGION", storage.region)


@contextmanager
def _on_this_machine(artifacts: Mapping[str, str], storage: ObjectStorageSettings) -> Iterator[dict[str, Path]]:
    """Files and folders by name, as local copies if remote; MLflow accepts only local ones.

    Args:
        artifacts: location by name.
        storage: object storage settings.
    """
    with tempfile.TemporaryDirectory(prefix="cqa-artifacts-") as folder:
        here: dict[str, Path] = {}
        for number, (name, location) in enumerate(artifacts.items()):
            here[name] = Path(location)
            if is_remote(location):
                here[name] = Path(folder, str(number), location.rstrip("/").rpartition("/")[2])
                fetch(location, here[name], storage)
        yield here


def import_mlflow() -> ModuleType:
    """Import MLflow, an optional dependency whose import takes seconds, and return it.

    By default, importing MLflow requests telemetry settings from the internet. A job may contact only the tracking
    server.

    Raises:
        EnvironmentProblem: MLflow is not installed.
    """
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    try:
        import mlflow
    except ModuleNotFoundError as error:
        raise EnvironmentProblem(
            "MLflow is not installed", "install cqa-spark[mlflow], or set tracking.enabled to false"
        ) from error

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return mlflow
