"""MLflow's artifact location and access to object storage."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.tracking_settings import TrackingSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.object_store.remote_files import fetch


def artifact_location(settings: TrackingSettings) -> str | None:
    """The location in the settings, else a folder beside the SQLite file; None for a server, which has its own.

    MLflow's default would be the working directory.
    """
    if settings.artifacts is not None:
        remote = is_remote(settings.artifacts)
        return (
            settings.artifacts.replace("s3a://", "s3://", 1) if remote else Path(settings.artifacts).resolve().as_uri()
        )
    file = settings.sqlite_file
    return None if file is None else Path(f"{file}.artifacts").resolve().as_uri()


def configure_mlflow_storage(storage: ObjectStorageSettings) -> None:
    """Configure MLflow's object storage as in the settings; it reads environment variables only."""
    if storage.endpoint:
        os.environ["MLFLOW_S3_ENDPOINT_URL"] = storage.endpoint
    os.environ["MLFLOW_BOTO_CLIENT_ADDRESSING_STYLE"] = "path" if storage.path_style else "auto"
    os.environ.setdefault("AWS_DEFAULT_REGION", storage.region)


@contextmanager
def on_this_machine(artifacts: Mapping[str, str], storage: ObjectStorageSettings) -> Iterator[dict[str, Path]]:
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
