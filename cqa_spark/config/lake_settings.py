"""The settings of ``lake migrate``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.value_types import Folder, NotHashed, Positional


class MigrateSettings(JobSettings):
    """Convert a lake of the previous release: its run log and other small tables move from Delta to the journal."""

    examples = ("cqa lake migrate build/lake", "cqa lake migrate s3a://bucket/lake --dry-run")

    lake: Annotated[
        Folder, NotHashed(), Positional(), Field(description="folder or object storage location of the lake")
    ]

    def reads(self) -> list[str]:
        """The small Delta tables."""
        return [f"{self.lake}: Delta tables of the previous release, such as runs and metrics"]

    def writes(self) -> list[str]:
        """The journal, in place of the tables."""
        return [f"{self.lake}/journal: their rows, one file per run", f"{self.lake}: deletes these Delta tables"]
