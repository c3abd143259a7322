"""The settings of ``doctor``, which checks the environment of a job."""

from cqa_spark.config.fields import OptionalLake, OutputFormat
from cqa_spark.config.tracking_settings import TrackedSettings


class DoctorSettings(TrackedSettings):
    """Check the environment: Java, Python, packages, jars, disk, storage, Spark and MLflow."""

    examples = (
        "cqa doctor --lake build/lake",
        "cqa doctor --lake s3a://bucket/lake --object-storage.endpoint https://s3.example.org --format json",
        "cqa doctor --lake s3a://bucket/lake --spark.master spark://host:7077",
    )
    reading = ()

    is_always_tracked = True

    lake: OptionalLake = ""
    format: OutputFormat = "table"

    def writes(self) -> list[str]:
        """Temporary objects and a temporary table."""
        return [f"{self.lake}/cqa-doctor-… (temporary)"] if self.lake else []
