"""The settings of ``inspect``, which shows the contents of a lake or the changes between two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from cqa_spark.config.fields import OutputFormat
from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.value_types import Folder, NotHashed, OutputFile, Positional, RunName, one_or_many


class InspectSettings(JobSettings):
    """Show the contents of a lake: rows, quarantined records, dangling references, and statistics of every site."""

    examples = (
        "cqa inspect build/lake",
        "cqa inspect build/lake --run-id mine --page mine.html",
        "cqa inspect build/lake --format json > lake.json",
        "cqa inspect build/lake --diff september december",
    )

    lake: Annotated[
        Folder, NotHashed(), Positional(), Field(description="folder or object storage location of the lake")
    ]
    run_id: Annotated[RunName | None, NotHashed(), Field(description="run to show; default: the published run")] = None
    format: OutputFormat = "table"
    page: Annotated[
        OutputFile | None,
        NotHashed(),
        Field(description="HTML file to write; default: none"),
    ] = None
    diff: Annotated[
        tuple[RunName, ...],
        BeforeValidator(one_or_many),
        NotHashed(),
        Field(max_length=2, description="show the changes from this run to a second run; default: to the run to show"),
    ] = ()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """More than two runs."""
        if given.get("run_id") and len(given.get("diff") or ()) > 1:
            yield "run_id", "--diff already names two runs", "remove --run-id, or the second run of --diff"

    @property
    def compares(self) -> bool:
        """Whether to compare two runs."""
        return bool(self.diff)

    def reads(self) -> list[str]:
        """The tables of the runs."""
        runs = [*self.diff, *([self.run_id or "(published)"] if len(self.diff) < 2 else [])]
        return [f"{self.lake}: tables of run {run}" for run in runs]

    def writes(self) -> list[str]:
        """The page; never the lake."""
        return [self.page] if self.page else []
