"""The settings of MLflow tracking, and of jobs that use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.sections import SettingsSection
from cqa_spark.config.value_types import NotHashed, OutputFolder, Shown, is_remote, refused

_SQLITE = "sqlite:///"
_SCHEMES = ("http", "https", "databricks", "sqlite", "postgresql", "mysql", "mssql")
"""Schemes of the servers and databases that MLflow can log to."""


def _supported(uri: str) -> str:
    """Reject what MLflow cannot log to, and credentials, which the run log and messages show."""
    parts = urlsplit(uri)
    if uri != "databricks" and parts.scheme.partition("+")[0] not in _SCHEMES:
        raise refused(
            f"MLflow cannot log runs to {uri}",
            "give the URL of a server (http://HOST:5000) or an SQLite file (sqlite:///mlflow.db)",
        )
    if parts.username or parts.password:
        raise refused(
            "the address contains credentials",
            "give them by MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or by MLFLOW_TRACKING_TOKEN",
        )
    return uri


class TrackingSettings(SettingsSection):
    """MLflow tracking."""

    enabled: bool = Field(default=True, description="log the run; an unreachable server only causes a warning")
    uri: Annotated[str, AfterValidator(_supported), Shown("URI")] = Field(
        default="sqlite:///mlflow.db",
        description="tracking URI, of a server or an SQLite file; LAKE.mlflow.db for a local lake",
    )
    experiment: Annotated[str, Shown("NAME")] = Field(
        default="cqa-spark", min_length=1, description="MLflow experiment"
    )
    artifacts: OutputFolder | None = Field(
        default=None,
        description="folder or s3a:// location for artifacts of a new experiment; default: beside the SQLite file, or "
        "the location set by the server",
    )

    @property
    def sqlite_file(self) -> Path | None:
        """The SQLite file of the URI; None for a server."""
        return Path(self.uri.removeprefix(_SQLITE)) if self.uri.startswith(_SQLITE) else None

    def writes(self) -> list[str]:
        """The MLflow experiment, if enabled."""
        return [f"{self.uri}: MLflow experiment {self.experiment}"] if self.enabled else []


class TrackedSettings(JobSettings):
    """Base of the settings of jobs that are logged in MLflow; by default beside a local lake."""

    tracking: Annotated[TrackingSettings, NotHashed()] = TrackingSettings()

    @model_validator(mode="before")
    @classmethod
    def _track_beside_the_lake(cls, data: Any) -> Any:
        """Default ``tracking.uri`` to a SQLite file beside a local lake."""
        lake, tracking = data.get("lake"), data.get("tracking", {})
        if not lake or is_remote(str(lake)) or not isinstance(tracking, Mapping) or tracking.get("uri"):
            return data
        return {**data, "tracking": {**tracking, "uri": f"sqlite:///{str(lake).rstrip('/')}.mlflow.db"}}
