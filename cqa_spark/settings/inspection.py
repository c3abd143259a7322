"""The settings of commands that look at a lake: ``inspect``, ``explain`` and ``doctor``."""

from typing import Annotated

from pydantic import Field

from cqa_spark.settings.sections import (
    JobSettings,
    OptionalLake,
    OutputFormat,
    ReadRunId,
    SettingsSection,
    ShownReportSettings,
    SparkSettings,
    TrackedSettings,
)
from cqa_spark.settings.values import NotHashed, RunName, Shown, SiteName, SystemName


class InspectSettings(ShownReportSettings):
    """Show the contents of a lake: rows, quarantined records, dangling references, and statistics of every site."""

    examples = (
        "cqa inspect --lake build/lake",
        "cqa inspect --lake build/lake --run-id mine --page mine.html",
        "cqa inspect --lake build/lake --format json > lake.json",
    )
    reading = ("{job.lake}: tables of run {job.published_run}",)

    run_id: ReadRunId = None


class ExplainedSettings(SettingsSection):
    """Thread and system to explain."""

    flag_prefix = ""

    thread: Annotated[str, Shown("ID")] = Field(default="", description="id of the question")
    site: SiteName | None = Field(
        default=None, description="site of the question; required if several sites have this id"
    )
    system: SystemName | None = Field(
        default=None, description="system to explain; default: the first of the run that supports explanations"
    )


class ExplainSettings(JobSettings):
    """Show the ranked candidates of a thread, and the feature contributions to each score."""

    examples = (
        "cqa explain --lake build/lake --thread 42",
        "cqa explain --lake build/lake --run-id beer --thread 42 --site beer.stackexchange.com "
        "--system metadata_boosted_snapshot",
    )
    needs = ("explained.thread",)
    reading = ("{job.lake}: tables of run {job.published_run}",)
    writing = ()

    run_id: Annotated[
        RunName | None, NotHashed(), Field(description="run that trained the system; default: the published run")
    ] = None
    explained: ExplainedSettings = ExplainedSettings()
    # It reads one thread.
    spark: SparkSettings = SparkSettings(compile_plans=False)


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
