"""The settings of ``runs``: list, show, publish, roll back and clean up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from cqa_spark.config.fields import KeptPublications, OutputFormat
from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.sections import SettingsSection
from cqa_spark.config.site_names import SiteName
from cqa_spark.config.value_types import NotHashed, Positional, RunName, Shown


class RunLogSettings(JobSettings):
    """Base of the settings of commands on the run log."""

    def reads(self) -> list[str]:
        """The run log."""
        return [f"{self.lake}: the run log"]

    def writes(self) -> list[str]:
        """Nothing."""
        return []


class ListRunsSettings(RunLogSettings):
    """List the runs of a lake, and mark the published run."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa runs list --lake build/lake",
        "cqa runs list --lake build/lake --format json",
    )

    format: OutputFormat = "table"


class ShowRunSettings(ListRunsSettings):
    """Show a run: inputs, steps with row counts, tables, settings."""

    examples = ("cqa runs show mine --lake build/lake",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to show")]


class CompareRunsSettings(RunLogSettings):
    """Show what changed from one night to another: threads with another first answer, and what the orders are worth."""

    examples = ("cqa runs compare last tonight --lake build/lake",)

    runs: Annotated[
        tuple[RunName, RunName], NotHashed(), Positional(), Field(description="the earlier and the later run")
    ]
    format: OutputFormat = "table"

    def reads(self) -> list[str]:
        """Rankings and posts of both runs."""
        return [f"{self.lake}: rankings and posts of the runs {' and '.join(self.runs)}"]


class PublishRunSettings(RunLogSettings):
    """Publish a finished run, if all its files are there; publishing is atomic."""

    examples = ("cqa runs publish mine --lake build/lake",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to publish")]

    def writes(self) -> list[str]:
        """The published run, and a record of the run log."""
        return [f"{self.lake}: the published run, one record of the run log"]


class RollbackSettings(RunLogSettings):
    """Publish a run again that was published before, if all its files are there; publishing is atomic."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa runs rollback --lake build/lake",
        "cqa runs rollback --lake build/lake --to monday",
    )

    to: Annotated[
        RunName | None,
        NotHashed(),
        Field(description="run to publish again; default: the run published before the current one"),
    ] = None

    def writes(self) -> list[str]:
        """The published run, and a record of the run log."""
        return [f"{self.lake}: the published run, one record of the run log"]


class ForgottenSettings(SettingsSection):
    """User or post to forget."""

    flag_prefix: ClassVar[str | None] = ""

    site: SiteName | None = Field(default=None, description="site of the user or post")
    user: Annotated[str | None, Shown("ID")] = Field(default=None, description="user to forget, with all posts")
    post: Annotated[str | None, Shown("ID")] = Field(
        default=None, description="post to forget, with its answers and comments"
    )
    now: bool = Field(
        default=False, description="delete the files of all earlier publications; nothing is left to roll back to"
    )


class ForgetSettings(RunLogSettings):
    """Remove a user or a post from all tables, models and reports, publish the result, and leave them out for good."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa lake forget --lake build/lake --site beer.stackexchange.com --user 42",
        "cqa lake forget --lake build/lake --site beer.stackexchange.com --post 7 --now",
    )
    needs: ClassVar[tuple[str, ...]] = ("forgotten.site",)

    forgotten: Annotated[ForgottenSettings, NotHashed()] = ForgottenSettings()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Not exactly one of user and post."""
        forgotten = given.get("forgotten")
        if isinstance(forgotten, Mapping) and bool(forgotten.get("user")) == bool(forgotten.get("post")):
            yield "forgotten.user", "name one user or one post", "give --user ID or --post ID"

    def writes(self) -> list[str]:
        """The published run, and the list of what is forgotten."""
        return [f"{self.lake}: a new published run, forgotten.json"]


class CollectGarbageSettings(RunLogSettings):
    """Delete the files that no kept run needs, those of failed runs included; nights do so themselves."""

    examples = ("cqa runs gc --lake build/lake --keep 7",)

    keep: KeptPublications = 7

    def writes(self) -> list[str]:
        """The deleted files."""
        return [f"{self.lake}: deletes files that neither the last {self.keep} publications nor kept runs need"]


class KeepRunSettings(RunLogSettings):
    """Keep the files of a run, whatever is deleted; with --release no longer."""

    examples = ("cqa runs keep mine --lake build/lake", "cqa runs keep mine --lake build/lake --release")

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to keep")]
    release: Annotated[bool, NotHashed(), Field(description="treat the run like all others again")] = False

    def writes(self) -> list[str]:
        """The pointer, which names the runs that are kept."""
        return [f"{self.lake}: published.json"]
