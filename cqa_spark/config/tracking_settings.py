"""The settings of MLflow tracking, and of jobs that use it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, Field, model_validator

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.sections import SettingsSection
from cqa_spark.config.value_types import NotHashed, OutputFolder, Shown, is_remote, refused

_SQLITE = "sqlite:///"
_SCHEMES = ("http", "https", "databricks", "sqlite", "postgresql", "mysql", "mssql")
"""Schemes of the servers and databases that MLflow can log to."""


_SECRET = re.compile(
    "passw|pwd|token|secret|api.?key|access.?key|credential|signature|^user|odbc_connect", re.IGNORECASE
)
"""Names of parameters of a database's address that hold credentials; that of a server has no parameters."""


def _supported(uri: str) -> str:
    """Reject what MLflow cannot log to, and credentials, which the run log and messages show."""
    parts = urlsplit(uri)
    secret = any(_SECRET.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    if parts.username or parts.password or secret or (parts.query and parts.scheme in ("http", "https")):
        raise refused(
            "the address contains credentials",
            "give them by MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or by MLFLOW_TRACKING_TOKEN; the "
            "address of a server has no parameters",
        )
    if uri != "databricks" and parts.scheme.partition("+")[0] not in _SCHEMES:
        raise refused(
            f"MLflow cannot log runs to {uri}",
            "give the URL of a server (http://HOST:5000) or an SQLite file (sqlite:///mlflow.db)",
        )
    return uri


class TrackingSettings(SettingsSection):
    """MLflow tracking."""

    enabled: bool = Field(
        default=True,
        description="log the run in MLflow; default: of run, tune and experiments, and wherever an address is given",
    )
    uri: Annotated[str, AfterValidator(_supported), Shown("URI")] = Field(
        default="sqlite:///mlflow.db",
        description="tracking URI, of a server or an SQLite file; default: MLFLOW_TRACKING_URI, else LAKE.mlflow.db "
        "beside a local lake",
    )
    experiment: Annotated[str, Shown("NAME")] = Field(
        default="cqa-spark",
        min_length=1,
        description="MLflow experiment; default: MLFLOW_EXPERIMENT_NAME, else cqa-spark",
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
    """Base of the settings of jobs that are logged in MLflow.

    What the settings leave open comes from MLflow's own environment variables.

    Attributes:
        is_always_tracked: whether the job is logged, by default beside a local lake, without an address in the settings
            or the environment.
    """

    is_always_tracked: ClassVar[bool] = False

    tracking: Annotated[TrackingSettings, NotHashed()] = TrackingSettings()

    @model_validator(mode="before")
    @classmethod
    def _defaults_of_mlflow(cls, data: Any) -> Any:
        """The address and the experiment of the environment, or a SQLite file beside a local lake."""
        lake, given = data.get("lake"), data.get("tracking", {})
        if not isinstance(given, Mapping):
            return data
        variables = {"uri": "MLFLOW_TRACKING_URI", "experiment": "MLFLOW_EXPERIMENT_NAME"}
        of_environment = {
            name: os.environ[variable] for name, variable in variables.items() if os.environ.get(variable)
        }
        tracking = {**of_environment, **given}
        tracking.setdefault("enabled", cls.is_always_tracked or "uri" in tracking)
        if lake and not is_remote(str(lake)):
            tracking.setdefault("uri", f"sqlite:///{str(lake).rstrip('/')}.mlflow.db")
        return {**data, "tracking": tracking}
