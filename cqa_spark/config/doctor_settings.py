"""The settings of ``doctor``, which tries everything that a job will need."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from cqa_spark.config.fields import OptionalLake
from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.kinds import Aside
from cqa_spark.config.parts import TrackingSettings
from cqa_spark.config.run_settings import beside_the_lake


class DoctorSettings(JobSettings):
    """Try what a job will need: Java, Python, jars, disk, storage, Spark, MLflow; say what to do where one fails."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa doctor --lake build/lake",
        "cqa doctor --lake s3a://bucket/lake --object-storage.endpoint https://s3.example.org --format json",
        "cqa doctor --lake s3a://bucket/lake --spark.master spark://host:7077",
    )

    lake: OptionalLake = ""
    format: Annotated[Literal["table", "json"], Aside(), Field(description="tables for people, JSON for programs")] = (
        "table"
    )
    tracking: Annotated[TrackingSettings, Aside()] = TrackingSettings()

    @model_validator(mode="before")
    @classmethod
    def _track_beside_the_lake(cls, data: Any) -> Any:
        return beside_the_lake(data)

    def reads(self) -> list[str]:
        """Nothing that is there."""
        return []

    def writes(self) -> list[str]:
        """Small objects and a table of one row, which it removes."""
        return [f"{self.lake}/cqa-doctor-…: removed at the end"] if self.lake else []
