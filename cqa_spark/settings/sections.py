"""The base class of the settings of every command, and the sections of a config file that several jobs share."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from cqa_spark.settings.values import (
    CorpusName,
    EmbeddingModelName,
    FormatName,
    InputFiles,
    LakeFolder,
    MeasureNames,
    NotHashed,
    OptionalLakeFolder,
    OutputFile,
    OutputFolder,
    RunName,
    RunSystemNames,
    Shown,
    SiteName,
    SystemName,
    TaskName,
    is_remote,
    one_or_many,
    refused,
)


class SettingsSection(BaseModel):
    """A group of settings; its fields are YAML keys and command-line flags.

    Attributes:
        flag_prefix: prefix of its flags; None for the name of the section.
        rare: names of settings that ``--help`` leaves to ``--help-all``, as it does all flags with a prefix.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    flag_prefix: ClassVar[str | None] = None
    rare: ClassVar[frozenset[str]] = frozenset()


class TrainingInputs(SettingsSection):
    """Training files."""

    flag_prefix: ClassVar[str | None] = ""

    train: InputFiles = Field(default=(), description="labelled files to train on")

    def by_split(self) -> dict[str, tuple[str, ...]]:
        """The files by split, without empty splits."""
        return {split: getattr(self, split) for split in type(self).model_fields if getattr(self, split)}


class Inputs(TrainingInputs):
    """Input files by split."""

    dev: InputFiles = Field(default=(), description="labelled files to evaluate on during development")
    test: InputFiles = Field(default=(), description="files for the final evaluation")
    unannotated: InputFiles = Field(default=(), description="files without judgments, for text and user statistics")


class FeatureSettings(SettingsSection):
    """Features: cross-fitting of labels, and the time cut of as-of groups."""

    folds: int = Field(default=5, ge=2, description="folds of the cross-fitting, grouped by thread")
    cut: Literal["delay", "question", "answer"] = Field(
        default="delay",
        description="time cut of as-of groups: a delay after the question, the time of the question, or the time of "
        "each answer",
    )
    cut_hours: float = Field(default=24, ge=0, description="the delay, in hours")
    top_tags: int = Field(default=24, ge=1, le=30, description="most frequent tags of a site with a column each")


class ResamplingSettings(SettingsSection):
    """Uncertainty: bootstrap intervals and paired tests."""

    resamples: int = Field(default=9999, ge=1, description="resamples of the bootstrap and of the randomization test")
    confidence: float = Field(default=0.95, gt=0, lt=1, description="coverage of the bootstrap intervals")
    seed: int = Field(default=20160616, ge=0, description="seed of the resampling")


class EvaluationSettings(ResamplingSettings):
    """Evaluation: measures and uncertainty."""

    measures: MeasureNames = Field(
        default=(),
        description="measures to report, of which the first one sorts the report; default: those of the task",
    )


class RetrievalSettings(SettingsSection):
    """Retrieval of candidates."""

    k1: float = Field(default=1.2, ge=0, description="BM25: saturation of the term frequency")
    b: float = Field(default=0.75, ge=0, le=1, description="BM25: strength of the length normalization")
    embeddings: EmbeddingModelName | None = Field(
        default=None, description="embedding model for dense retrieval in addition to BM25; default: BM25 only"
    )
    candidates: int = Field(default=50, ge=1, le=1000, description="candidates per question and retrieval method")
    shard_size: int = Field(
        default=100_000, ge=1, description="questions in a shard of the index; does not affect candidates or scores"
    )
    queries: Literal["all", "annotated"] = Field(
        default="all",
        description="questions to find duplicates for: all, or only those with a known duplicate, if the list of "
        "duplicates is a sample",
    )


class SparkSettings(SettingsSection):
    """The Spark session; see also conf/spark/*.conf."""

    master: Annotated[str | None, Shown("URL")] = Field(
        default=None,
        pattern=r"^(local(-cluster)?(\[[\d*, ]+\])?|yarn|(spark|k8s|mesos)://.+)$",
        description="Spark master URL, such as local[4] or spark://HOST:7077; default from spark-submit or conf/spark",
    )
    partitions: int | None = Field(
        default=None,
        ge=1,
        description="shuffle partitions; does not affect results; default from conf/spark",
    )
    driver_memory: Annotated[str | None, Shown("SIZE")] = Field(
        default=None,
        pattern=r"^([1-9][0-9]*g|[1-9][0-9]{3,}m|[5-9][0-9]{2}m)$",
        description="driver memory, such as 2g, at least 500m; default from conf/spark",
    )
    compile_plans: bool | None = Field(
        default=None,
        description="generate and optimize code for queries, which costs more time than it saves on small inputs; "
        "default: if the input files have more than 64 MB, or 8 MB of texts to analyse",
    )


class Command(SettingsSection):
    """The settings of a command.

    Attributes:
        examples: command lines at the end of the help text.
        needs: dotted keys that must be set although they have a default.
        reading: descriptions of the inputs, with settings as ``{job.lake}``.
        writing: descriptions of the outputs.
    """

    examples: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    reading: ClassVar[tuple[str, ...]] = ()
    writing: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def required(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The dotted keys that must be set, given the other settings."""
        return cls.needs

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield (key, problem, remedy) for every setting that contradicts another."""
        return iter(())

    def reads(self) -> list[str]:
        """The inputs, for ``--dry-run``."""
        return [text.format(job=self) for text in self.reading]

    def writes(self) -> list[str]:
        """The outputs, for ``--dry-run``."""
        return [text.format(job=self) for text in self.writing]


class CheckSettings(SettingsSection):
    """Limits on the differences between a nightly run and the published run."""

    max_quarantine_share: float = Field(default=0.001, ge=0, le=1, description="maximum share of quarantined records")
    max_row_loss: float = Field(default=0.05, ge=0, le=1, description="maximum share of rows that a table may lose")
    max_row_growth: float = Field(default=0.5, ge=0, description="maximum growth of a table, as a share of its rows")
    max_null_rise: float = Field(
        default=0.05, ge=0, le=1, description="maximum rise of the share of unknown values in a column"
    )
    max_score_drift: float = Field(
        default=0.25,
        ge=0,
        description="maximum population stability index of the scores; above 0.25 is a different population",
    )
    max_metric_drop: float = Field(
        default=0, ge=0, le=1, description="maximum drop of the first measure below its interval in the published run"
    )
    max_worth_drop: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="maximum drop of the gain over the simple order since the model was trained, at the least by its "
        "interval",
    )
    min_rank_correlation: float = Field(
        default=0.8, ge=-1, le=1, description="minimum mean rank correlation over the answers that both runs ranked"
    )


def _unset_where_empty(value: Any) -> Any:
    """``${NAME:-}`` in a config file is empty if the variable is not set."""
    return None if value == "" else value


class ObjectStorageSettings(SettingsSection):
    """Object storage (s3a://…); credentials come from the environment, an AWS profile or the machine's role."""

    endpoint: Annotated[str | None, BeforeValidator(_unset_where_empty), Shown("URL")] = Field(
        default=None, description="URL of the S3 server, such as https://s3.example.org:9000; default: Amazon S3"
    )
    region: Annotated[str, Shown("NAME"), Field(min_length=1, description="region of the buckets")] = "us-east-1"
    path_style: bool = Field(
        default=False, description="put the bucket name into the path, as most servers other than Amazon S3 require"
    )
    tls: bool = Field(default=True, description="encrypt connections; must be false for an http:// endpoint")
    attempts: int = Field(default=6, ge=1, description="attempts per request before the job fails")
    timeout: float = Field(default=60, gt=0, description="seconds without a response after which an attempt fails")

    @model_validator(mode="after")
    def _endpoint_is_an_address(self) -> ObjectStorageSettings:
        if self.endpoint is None:
            return self
        parts = urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
            raise refused("the endpoint is not a URL", "give http(s)://HOST:PORT; the bucket is part of s3a://BUCKET/…")
        if parts.username or parts.password:
            raise refused(
                "the endpoint contains credentials",
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use an AWS profile",
            )
        if (parts.scheme == "https") != self.tls:
            raise refused(
                f"the endpoint is {parts.scheme}:// and tls is {str(self.tls).lower()}",
                "give an https:// endpoint, or --no-object-storage.tls for an unencrypted server",
            )
        return self


# Settings that several jobs share; a job adds its default.

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
    Field(
        ge=2,
        description="number of publications whose files stay for readers and rollback, at least 2; see also: runs keep",
    ),
]
Force = Annotated[bool, NotHashed(), Field(description="publish even if checks fail; requires --who")]
Who = Annotated[str | None, NotHashed(), Shown("NAME"), Field(description="name recorded in the run log")]
Full = Annotated[
    bool, NotHashed(), Field(description="read and compute everything, including what the published run has unchanged")
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


class FilesCommand(Command):
    """Base of the settings of commands on files, without lake or Spark; they have flags only."""

    object_storage: ObjectStorage = ObjectStorageSettings()


def baseline_not_run(values: Mapping[str, Any], default: str) -> Iterator[tuple[str, str, str]]:
    """A contradiction: a baseline that is not among the systems.

    Args:
        values: the settings of the job.
        default: the baseline if none is set.
    """
    systems, baseline = one_or_many(values.get("systems") or ()), values.get("baseline", default)
    if isinstance(systems, list | tuple) and systems and baseline not in systems:
        yield "baseline", f"{baseline} is not in systems", f"add {baseline} to systems, or set another baseline"


def forced_by_nobody(values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """``--force`` without ``--who``, as one of ``contradictions``."""
    if values.get("force") and not values.get("who"):
        yield "who", "required with --force", "give --who NAME, which is recorded in the run log"


def output_in_lake(values: Mapping[str, Any], key: str) -> Iterator[tuple[str, str, str]]:
    """A contradiction: files for other programs that would lie among those of the lake, or replace them.

    Args:
        values: the settings of the job.
        key: of the output.
    """
    lake, output = (
        name if is_remote(name) else os.path.realpath(name)
        for name in (str(values.get("lake") or ""), str(values.get(key) or ""))
    )
    if values.get("lake") and values.get(key) and f"{output.rstrip('/')}/".startswith(f"{lake.rstrip('/')}/"):
        yield key, f"{values[key]} is in the lake", "name a folder outside of the lake"


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


_SQLITE = "sqlite:///"
_SCHEMES = ("http", "https", "databricks", "sqlite", "postgresql", "mysql", "mssql")
"""Schemes of the servers and databases that MLflow can log to."""


CREDENTIAL = re.compile(
    "passw|pwd|token|secret|api.?key|access.?key|credential|signature|^user|odbc_connect", re.IGNORECASE
)
"""Names of parameters of a database's address that hold credentials; that of a server has no parameters."""


def _supported(uri: str) -> str:
    """Reject what MLflow cannot log to, and credentials, which the run log and messages show."""
    parts = urlsplit(uri)
    secret = any(CREDENTIAL.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    if parts.username or parts.password or secret or (parts.query and parts.scheme in ("http", "https")):
        raise refused(
            "the address contains credentials",
            "give them by MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or by MLFLOW_TRACKING_TOKEN; the "
            "address of a server has no parameters",
        )
    if uri != "databricks" and parts.scheme.partition("+")[0] not in _SCHEMES:
        raise refused(
            f"MLflow cannot log runs to {uri}",
            "give the URL of a server (http://HOST:5000) or an SQLite file (sqlite:///mlflow.db)",
        )
    return uri


class TrackingSettings(SettingsSection):
    """MLflow tracking."""

    enabled: bool = Field(
        default=True,
        description="log the run in MLflow; default: of run, tune and experiments, and wherever an address is given",
    )
    uri: Annotated[str, AfterValidator(_supported), Shown("URI")] = Field(
        default="sqlite:///mlflow.db",
        description="tracking URI, of a server or an SQLite file; default: MLFLOW_TRACKING_URI, else LAKE.mlflow.db "
        "beside a local lake",
    )
    experiment: Annotated[str, Shown("NAME")] = Field(
        default="cqa-spark",
        min_length=1,
        description="MLflow experiment; default: MLFLOW_EXPERIMENT_NAME, else cqa-spark",
    )
    artifacts: OutputFolder | None = Field(
        default=None,
        description="folder or s3a:// location for artifacts of a new experiment; default: beside the SQLite file, or "
        "the location set by the server",
    )

    @property
    def sqlite_file(self) -> Path | None:
        """The SQLite file of the URI; None for a server."""
        return Path(self.uri.removeprefix(_SQLITE)) if self.uri.startswith(_SQLITE) else None

    def writes(self) -> list[str]:
        """The MLflow experiment, if enabled."""
        return [f"{self.uri}: MLflow experiment {self.experiment}"] if self.enabled else []


class TrackedSettings(JobSettings):
    """Base of the settings of jobs that are logged in MLflow.

    What the settings leave open comes from MLflow's own environment variables.

    Attributes:
        is_always_tracked: whether the job is logged, by default beside a local lake, without an address in the settings
            or the environment.
    """

    is_always_tracked: ClassVar[bool] = False

    tracking: Annotated[TrackingSettings, NotHashed()] = TrackingSettings()

    @model_validator(mode="before")
    @classmethod
    def _defaults_of_mlflow(cls, data: Any) -> Any:
        """The address and the experiment of the environment, or a SQLite file beside a local lake."""
        lake, tracking = data.get("lake"), data.get("tracking", {})
        if not isinstance(tracking, Mapping):
            return data
        variables = {"uri": "MLFLOW_TRACKING_URI", "experiment": "MLFLOW_EXPERIMENT_NAME"}
        of_environment = {
            name: os.environ[variable] for name, variable in variables.items() if os.environ.get(variable)
        }
        tracking = {**of_environment, **tracking}
        tracking.setdefault("enabled", cls.is_always_tracked or "uri" in tracking)
        if lake and not is_remote(str(lake)):
            tracking.setdefault("uri", f"sqlite:///{str(lake).rstrip('/')}.mlflow.db")
        return {**data, "tracking": tracking}
