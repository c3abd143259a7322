"""The settings of ``cqa inspect``: what is in a lake, and what changed from one run to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.value_types import InputFile, Location, NotHashed, Positional, RunName, one_or_many


class InspectSettings(JobSettings):
    """Show what is in a lake: rows, what was refused, what points to nothing, and the figures of every site."""

    examples = (
        "cqa inspect build/lake",
        "cqa inspect build/lake --run-id mine --page mine.html",
        "cqa inspect build/lake --format json > lake.json",
        "cqa inspect build/lake --diff september december",
    )

    # A lake that is not there holds nothing to look at, so it has to exist; other jobs make theirs.
    lake: Annotated[InputFile, NotHashed(), Positional(), Field(description="lake to look at: its folder or address")]
    run_id: Annotated[RunName | None, NotHashed(), Field(description="run to look at; unset: the published one")] = None
    format: Annotated[
        Literal["table", "json"], NotHashed(), Field(description="tables for people, JSON for programs")
    ] = "table"
    page: Annotated[
        Location | None,
        NotHashed(),
        Field(description="HTML file to write; unset: LAKE/inspect/RUN_ID.html"),
    ] = None
    diff: Annotated[
        tuple[RunName, ...],
        BeforeValidator(one_or_many),
        NotHashed(),
        Field(max_length=2, description="show what changed from this run to a second one; unset: to the one looked at"),
    ] = ()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Three runs."""
        if given.get("run_id") and len(given.get("diff") or ()) > 1:
            yield "run_id", "--diff names both runs already", "leave out --run-id, or the second run of --diff"

    @property
    def compares(self) -> bool:
        """Whether two runs are to be compared."""
        return bool(self.diff)

    def page_path(self, run_id: str) -> str:
        """Where the page goes.

        Args:
            run_id: the run that is shown, or both that are compared.
        """
        return self.page or f"{self.lake.rstrip('/')}/inspect/{run_id}.html"

    def reads(self) -> list[str]:
        """The tables of the runs that are looked at."""
        runs = [*self.diff, *([self.run_id or "(the published one)"] if len(self.diff) < 2 else [])]
        return [f"{self.lake}: tables of run {run}" for run in runs]

    def writes(self) -> list[str]:
        """The page."""
        return [self.page_path("-to-".join(self.diff) or self.run_id or "RUN_ID")]
