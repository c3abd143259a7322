"""The settings of ``runs``: list, show, publish, roll back and clean up."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from cqa_spark.settings.sections import (
    JobSettings,
    KeptPublications,
    OutputFormat,
    SettingsSection,
    ShownReportSettings,
    TrackedSettings,
)
from cqa_spark.settings.values import NotHashed, Positional, RunName, Shown, SiteName


class RunLogSettings(JobSettings):
    """Base of the settings of commands on the run log."""

    reading: ClassVar[tuple[str, ...]] = ("{job.lake}: the run log",)
    writing: ClassVar[tuple[str, ...]] = ()


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


class CompareRunsSettings(ShownReportSettings):
    """Show how runs differ: settings, measures with paired tests, threads with another first answer, rows of tables."""

    examples = (
        "cqa runs compare last tonight --lake build/lake",
        "cqa runs compare september december january --lake build/lake --page changes.html",
    )

    runs: Annotated[
        tuple[RunName, ...],
        NotHashed(),
        Positional(),
        Field(
            min_length=1, max_length=3, description="a run, and one or two to compare with it; default: the published"
        ),
    ]

    def reads(self) -> list[str]:
        """Tables of the runs."""
        runs = self.runs if len(self.runs) > 1 else (*self.runs, "(published)")
        return [f"{self.lake}: tables of the runs {', '.join(runs)}"]


class TrendSettings(ShownReportSettings):
    """Show a measure of a system over the published runs."""

    examples = (
        "cqa runs trend --lake build/lake",
        "cqa runs trend --lake build/lake --system longest --page trend.html",
    )
    reading = ("{job.lake}: the run log",)

    system: Annotated[str | None, NotHashed(), Shown("NAME")] = Field(
        default=None,
        description="name of the system, or of a simple order; default: what the last report presents first",
    )
    measure: Annotated[str | None, NotHashed(), Shown("MEASURE")] = Field(
        default=None, description="measure; default: the main one of the last report"
    )


class PublishRunSettings(RunLogSettings, TrackedSettings):
    """Publish a finished run, if all its files are there; publishing is atomic."""

    examples = ("cqa runs publish mine --lake build/lake",)
    writing = ("{job.lake}: the published run, one record of the run log",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to publish")]


class RollbackSettings(RunLogSettings, TrackedSettings):
    """Publish a run again that was published before, if all its files are there; publishing is atomic."""

    examples = (
        "cqa runs rollback --lake build/lake",
        "cqa runs rollback --lake build/lake --to monday",
    )
    writing = ("{job.lake}: the published run, one record of the run log",)

    to: Annotated[RunName | None, NotHashed()] = Field(
        default=None, description="run to publish again; default: the run published before the current one"
    )


class RestorePointerSettings(RunLogSettings, TrackedSettings):
    """Write published.json anew, if it is damaged, lost or an old copy: the last publications of the run log."""

    examples = ("cqa runs restore-pointer --lake build/lake",)
    writing = ("{job.lake}: published.json, the published tables and the report",)


class ForgottenSettings(SettingsSection):
    """User or post to forget."""

    flag_prefix = ""

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

    examples = (
        "cqa lake forget --lake build/lake --site beer.stackexchange.com --user 42",
        "cqa lake forget --lake build/lake --site beer.stackexchange.com --post 7 --now",
    )
    needs = ("forgotten.site",)
    writing = ("{job.lake}: a new published run, forgotten.json",)

    forgotten: Annotated[ForgottenSettings, NotHashed()] = ForgottenSettings()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Not exactly one of user and post."""
        forgotten = given.get("forgotten")
        if isinstance(forgotten, Mapping) and bool(forgotten.get("user")) == bool(forgotten.get("post")):
            yield "forgotten.user", "name one user or one post", "give --user ID or --post ID"


class RegisterTablesSettings(RunLogSettings):
    """Print the SQL that registers the published tables in a catalog, as external tables that follow publications."""

    examples = (
        "cqa lake register --lake s3a://rankings/lake --catalog athena",
        "cqa lake register --lake build/lake --catalog duckdb | duckdb rankings.duckdb",
    )
    needs = ("catalog",)

    catalog: Annotated[Literal["athena", "databricks", "duckdb", "trino"] | None, NotHashed()] = Field(
        default=None,
        description="the program that runs the SQL: athena registers in AWS Glue, databricks in Unity Catalog",
    )
    catalog_schema: Annotated[str, NotHashed(), Shown("NAME")] = Field(
        default="cqa", pattern=r"^\w+$", description="schema, or database, that gets the tables; created if absent"
    )


class CollectGarbageSettings(RunLogSettings):
    """Delete the files that no kept run needs, those of failed runs included; nights do so themselves."""

    examples = ("cqa runs gc --lake build/lake --keep 7",)
    writing = ("{job.lake}: deletes files that neither the last {job.keep} publications nor kept runs need",)

    keep: KeptPublications = 7


class KeepRunSettings(RunLogSettings):
    """Keep the files of a run, whatever is deleted; with --release no longer."""

    examples = ("cqa runs keep mine --lake build/lake", "cqa runs keep mine --lake build/lake --release")
    writing = ("{job.lake}: published.json",)

    run_id: Annotated[RunName, NotHashed(), Positional(), Field(description="run to keep")]
    release: Annotated[bool, NotHashed(), Field(description="treat the run like all others again")] = False
