"""The settings of ``cqa runs``: the log of runs, and what readers see."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.stage_settings import PublishSettings
from cqa_spark.config.value_types import NotHashed, Positional, RunName


class ListRunsSettings(JobSettings):
    """List the runs of a lake and tell which one readers see."""

    examples: ClassVar[tuple[str, ...]] = ("cqa runs list --lake build/lake",)

    def reads(self) -> list[str]:
        """The log of runs."""
        return [f"{self.lake}: the log of runs"]

    def writes(self) -> list[str]:
        """Nothing."""
        return []


class ShowRunSettings(ListRunsSettings):
    """Show one run: inputs, steps with their rows, tables, settings."""

    examples = ("cqa runs show mine --lake build/lake",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to show")]


class PublishRunSettings(PublishSettings):
    """Let readers see a finished run, in one step."""

    examples = ("cqa runs publish mine --lake build/lake",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to publish")]


class RollbackSettings(ListRunsSettings):
    """Let readers see a run that was published before, in one step."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa runs rollback --lake build/lake",
        "cqa runs rollback --lake build/lake --to monday",
    )

    to: Annotated[
        RunName | None, NotHashed(), Field(description="run to show; unset: the one published before the current one")
    ] = None

    def writes(self) -> list[str]:
        """What readers see, and one row of the log of runs."""
        return [f"{self.lake}: what readers see, one row of the log of runs"]


class CollectGarbageSettings(ListRunsSettings):
    """Remove what failed runs left, and what only runs need that were published long ago."""

    examples = ("cqa runs gc --lake build/lake --keep 7",)

    keep: Annotated[
        int,
        NotHashed(),
        Field(ge=1, description="runs that can be read and rolled back to: the last so many published"),
    ] = 7

    def writes(self) -> list[str]:
        """What it removes."""
        return [f"{self.lake}: removes what the last {self.keep} published runs do not need"]
