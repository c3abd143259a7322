"""Base classes of the settings of jobs on a lake."""

from typing import Annotated, ClassVar

from pydantic import Field

from cqa_spark.config.fields import Lake, NewRunId, ObjectStorage, OutputFormat, RunId, Spark
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.sections import Command, SparkSettings
from cqa_spark.config.value_types import NotHashed, OutputFile


class JobSettings(Command):
    """Base of the settings of jobs on a lake, which read config files."""

    reading: ClassVar[tuple[str, ...]] = ("{job.lake}: tables of run {job.run_id}",)
    writing: ClassVar[tuple[str, ...]] = ("{job.lake}: tables of run {job.new_run}",)

    lake: Lake
    run_id: NewRunId = None
    spark: Spark = SparkSettings()
    object_storage: ObjectStorage = ObjectStorageSettings()

    @property
    def new_run(self) -> str:
        """The id of the run to write, for descriptions."""
        return self.run_id or "(new)"

    @property
    def published_run(self) -> str:
        """The id of the run to read, for descriptions."""
        return self.run_id or "(published)"


class StageSettings(JobSettings):
    """Base of the settings of jobs that continue a run."""

    run_id: RunId


class ShownReportSettings(JobSettings):
    """Base of the settings of jobs that show a report, in the terminal, as JSON or as a page."""

    format: OutputFormat = "table"
    page: Annotated[OutputFile | None, NotHashed(), Field(description="HTML file to write; default: none")] = None

    def writes(self) -> list[str]:
        """The page; never the lake."""
        return [self.page] if self.page else []
