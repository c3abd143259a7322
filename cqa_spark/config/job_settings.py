"""What every job on a lake is told."""

from __future__ import annotations

from cqa_spark.config.command import Command
from cqa_spark.config.fields import Lake, NewRunId, ObjectStorage, RunId, Spark
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.sections import SparkSettings


class JobSettings(Command):
    """What every job on a lake is told; the base of all the others. Its settings come from config files too."""

    lake: Lake
    run_id: NewRunId = None
    spark: Spark = SparkSettings()
    object_storage: ObjectStorage = ObjectStorageSettings()

    def reads(self) -> list[str]:
        """The tables of the run."""
        return [f"{self.lake}: tables of run {self.run_id}"]

    def writes(self) -> list[str]:
        """New versions of the run's tables."""
        return [f"{self.lake}: tables of run {self.run_id or '(a new id)'}"]


class StageSettings(JobSettings):
    """What a job is told that goes on with a run."""

    run_id: RunId
