"""MLflow, and the jobs that tell it what they found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.sections import Section
from cqa_spark.config.value_types import Location, NotHashed, Shown, is_remote


class TrackingSettings(Section):
    """MLflow: where runs are logged for comparison."""

    enabled: bool = Field(default=True, description="log the run; a server that cannot be reached costs a warning only")
    uri: Annotated[str, Shown("URI")] = Field(
        default="sqlite:///mlflow.db", description="MLflow server or SQLite file; beside a local lake: LAKE.mlflow.db"
    )
    experiment: Annotated[str, Shown("NAME")] = Field(default="cqa-spark", description="MLflow experiment")
    artifacts: Location | None = Field(
        default=None,
        description="folder or s3a:// address for the files of a new experiment; unset: beside the SQLite file, or "
        "where the server keeps them",
    )

    def writes(self) -> list[str]:
        """The log, where there is one."""
        return [f"{self.uri}: MLflow experiment {self.experiment}"] if self.enabled else []


class TrackedSettings(JobSettings):
    """What a job on a lake is told that MLflow is told of; the log of a local lake lies beside it."""

    tracking: Annotated[TrackingSettings, NotHashed()] = TrackingSettings()

    @model_validator(mode="before")
    @classmethod
    def _track_beside_the_lake(cls, data: Any) -> Any:
        """Set ``tracking.uri``, where nobody did, to a SQLite file beside a local lake."""
        lake, tracking = data.get("lake"), data.get("tracking", {})
        if not lake or is_remote(str(lake)) or not isinstance(tracking, Mapping) or tracking.get("uri"):
            return data
        return {**data, "tracking": {**tracking, "uri": f"sqlite:///{str(lake).rstrip('/')}.mlflow.db"}}
