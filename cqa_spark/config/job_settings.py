"""Base classes of the settings of jobs on a lake, and settings that several jobs share; each adds its default."""

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.sections import Command, SparkSettings
from cqa_spark.config.site_names import SiteName
from cqa_spark.config.value_types import (
    CorpusName,
    FormatName,
    LakeFolder,
    NotHashed,
    OptionalLakeFolder,
    OutputFile,
    RunName,
    RunSystemNames,
    SystemName,
    TaskName,
    is_remote,
    one_or_many,
)

Lake = Annotated[
    LakeFolder, NotHashed(), Field(description="folder or object storage location of the tables of all runs")
]
OptionalLake = Annotated[
    OptionalLakeFolder, NotHashed(), Field(description="lake of the run; default for files: a temporary lake")
]
RunId = Annotated[RunName, NotHashed(), Field(description="run to continue")]
NewRunId = Annotated[
    RunName | None, NotHashed(), Field(description="run id; default: generated from the time and the config hash")
]
ReadRunId = Annotated[
    RunName | None, NotHashed(), Field(description="run to read, a successful one; default: the published run")
]
OutputFormat = Annotated[
    Literal["table", "json"], NotHashed(), Field(description="output format; JSON has full precision")
]
Spark = Annotated[SparkSettings, NotHashed()]
ObjectStorage = Annotated[ObjectStorageSettings, NotHashed()]
Site = Annotated[SiteName, Field(description="site name; prefix of every key")]
Corpus = Annotated[CorpusName, Field(description="format of the input files")]
InputFormat = Annotated[
    FormatName | None, Field(description="format of the input; default: the one that the task is made for")
]
Task = Annotated[TaskName | None, Field(description="ranking task; default: the task of the systems")]
Systems = Annotated[RunSystemNames, Field(description="systems to train and rank with; see cqa systems list")]
Baseline = Annotated[SystemName, Field(description="system to compare all others with")]
AllowSharedThreads = Annotated[
    bool, Field(description="allow training and evaluation data to share threads; scores will be inflated")
]
KeptPublications = Annotated[
    int,
    NotHashed(),
    Field(ge=2, description="number of publications whose files stay for readers and rollback; see also: runs keep"),
]
Pages = Annotated[bool, Field(description="write index.html, the page of the lake, with threads to search")]
PageRows = Annotated[
    int,
    Field(
        ge=0,
        description="rows of rankings that a run makes searchable on the page of the lake; larger sites are left out",
    ),
]
Report = Annotated[OutputFile | None, NotHashed(), Field(description="HTML file to write; default: in the lake")]


def baseline_not_run(given: Mapping[str, Any], default: str) -> Iterator[tuple[str, str, str]]:
    """A contradiction: a baseline that is not among the systems.

    Args:
        given: the settings of the job.
        default: the baseline if none is set.
    """
    systems, baseline = one_or_many(given.get("systems") or ()), given.get("baseline", default)
    if isinstance(systems, list | tuple) and systems and baseline not in systems:
        yield "baseline", f"{baseline} is not in systems", f"add {baseline} to systems, or set another baseline"


def output_in_lake(given: Mapping[str, Any], key: str) -> Iterator[tuple[str, str, str]]:
    """A contradiction: files for other programs that would lie among those of the lake, or replace them.

    Args:
        given: the settings of the job.
        key: of the output.
    """
    lake, output = (
        name if is_remote(name) else os.path.realpath(name)
        for name in (str(given.get("lake") or ""), str(given.get(key) or ""))
    )
    if given.get("lake") and given.get(key) and f"{output.rstrip('/')}/".startswith(f"{lake.rstrip('/')}/"):
        yield key, f"{given[key]} is in the lake", "name a folder outside of the lake"


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
