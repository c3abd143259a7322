"""MLflow's client: imported without telemetry, set to the experiment and the storage of the settings."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.store import delta_address
from cqa_spark.settings.sections import ObjectStorageSettings, TrackingSettings
from cqa_spark.settings.values import is_remote

if TYPE_CHECKING:
    pass


_SECONDS = 5


"""Time that a tracking server has to answer."""


def open_tracking(settings: TrackingSettings, storage: ObjectStorageSettings) -> Any:
    """MLflow, set to the experiment of the settings, which is created if there is none.

    Args:
        settings: the tracking settings.
        storage: object storage settings.

    Raises:
        EnvironmentProblem: MLflow is not installed.
    """
    _configure_mlflow_storage(storage)
    mlflow = import_mlflow()
    mlflow.set_tracking_uri(settings.uri)
    if mlflow.get_experiment_by_name(settings.experiment) is None:
        mlflow.create_experiment(settings.experiment, artifact_location=_artifact_location(settings))
    mlflow.set_experiment(settings.experiment)
    return mlflow


def require_server(settings: TrackingSettings) -> None:
    """Check that a tracking server answers, before a job computes what it is to be told; without MLflow's client.

    Args:
        settings: the tracking settings; databases are not asked.

    Raises:
        EnvironmentProblem: it does not answer.
    """
    if not settings.uri.startswith("http"):
        return
    try:
        urlopen(f"{settings.uri.rstrip('/')}/health", timeout=_SECONDS).close()
    except HTTPError:
        return  # it answers
    except OSError as error:
        raise EnvironmentProblem(
            f"the tracking server {settings.uri} does not answer: {error}",
            "start it, correct tracking.uri or MLFLOW_TRACKING_URI, or set tracking.enabled to false",
        ) from error


@contextmanager
def without_retries() -> Iterator[None]:
    """Limit MLflow's retries, which take minutes for an unreachable server."""
    name = "MLFLOW_HTTP_REQUEST_MAX_RETRIES"
    before = os.environ.get(name)
    os.environ[name] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


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
