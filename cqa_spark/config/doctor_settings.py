"""The settings of ``doctor``, which tries everything that a job will need."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cqa_spark.config.fields import OptionalLake
from cqa_spark.config.tracking_settings import TrackedSettings
from cqa_spark.config.value_types import NotHashed


class DoctorSettings(TrackedSettings):
    """Try what a job will need: Java, Python, jars, disk, storage, Spark, MLflow; say what to do where one fails."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa doctor --lake build/lake",
        "cqa doctor --lake s3a://bucket/lake --object-storage.endpoint https://s3.example.org --format json",
        "cqa doctor --lake s3a://bucket/lake --spark.master spark://host:7077",
    )

    lake: OptionalLake = ""
    format: Annotated[
        Literal["table", "json"], NotHashed(), Field(description="tables for people, JSON for programs")
    ] = "table"

    def reads(self) -> list[str]:
        """Nothing that is there."""
        return []

    def writes(self) -> list[str]:
        """Small objects and a table of one row, which it removes."""
        return [f"{self.lake}/cqa-doctor-…: removed at the end"] if self.lake else []
