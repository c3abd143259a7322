"""The settings of ``nightly``, and of the commands that write the tables of a run to files."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.duplicates import RetrievalSettings
from cqa_spark.settings.preferred_answer import NightSettings
from cqa_spark.settings.sections import (
    CheckSettings,
    EvaluationSettings,
    FeatureSettings,
    InputFormat,
    JobSettings,
    KeptPublications,
    PageRows,
    Pages,
    ReadRunId,
    Report,
    Task,
    TrackedSettings,
    TrainingInputs,
    output_in_lake,
)
from cqa_spark.settings.values import InputFile, NotHashed, OutputFolder, Positional, RunName, Shown, SystemName

ExportFormat = Literal["parquet", "jsonl", "csv"]


class NightlySettings(DumpJobSettings, TrackedSettings):
    """Update the rankings from a new dump, or from a folder of threads: rank what changed, check, and publish.

    Systems that learn from annotated files are trained in the first night (``--train``), or given (``--model``).
    """

    examples = (
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake",
        "cqa nightly --config conf/duplicates.yaml --task duplicate --input beer.stackexchange.com/ --lake build/lake",
        "cqa nightly --system best_a --input new/ --train train.xml --lake build/lake",
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --retrain",
        "cqa nightly --input beer.stackexchange.com/ --lake build/lake --force --who 'A. Editor'",
    )
    rare = DumpJobSettings.rare | {
        "dump_format",
        "retrain",
        "max_model_age",
        "full",
        "pages",
        "page_rows",
    }

    dump_format: InputFormat = None
    inputs: Annotated[TrainingInputs, NotHashed()] = TrainingInputs()
    task: Task = None
    answers: NightSettings = NightSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    system: Annotated[
        SystemName,
        Field(description="system to rank with; trained in the first night unless the package ships it, then reused"),
    ] = "night_answers"
    model: Annotated[InputFile | None, Shown("PATH")] = Field(
        default=None,
        description="folder of a trained system to use from now on; default: that of the published run or, in the "
        "first night, of the package",
    )
    retrain: Annotated[bool, NotHashed()] = Field(
        default=False,
        description="retrain the system on the lake's sites now, not only with a tenth more labels or when it is "
        "old; it ranks if it is not worse",
    )
    max_model_age: int = Field(
        default=365,
        ge=1,
        description="age in days, by the newest post of the dumps, from which a system is retrained without more "
        "labels",
    )
    full: Annotated[bool, NotHashed(), Field(description="recompute everything, including unchanged sites")] = False
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    checks: CheckSettings = CheckSettings()
    force: Annotated[bool, NotHashed(), Field(description="publish even if checks fail; requires --who")] = False
    who: Annotated[str | None, NotHashed(), Shown("NAME"), Field(description="name recorded in the run log")] = None
    report: Report = None
    pages: Pages = True
    page_rows: PageRows = 250_000
    keep: KeptPublications = 7

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """``--force`` without ``--who``."""
        if given.get("force") and not given.get("who"):
            yield "who", "required with --force", "give --who NAME, which is recorded in the run log"

    def space_factors(self) -> tuple[float, float]:
        """More for systems that may embed texts or search for candidates; docs/nightly.md has the measurements."""
        return (1, 1) if self.system == NightlySettings.model_fields["system"].default else (2, 3)

    def reads(self) -> list[str]:
        """The dumps and the published run."""
        return [*self.dumps.input, f"{self.lake}: tables of the published run"]

    def writes(self) -> list[str]:
        """The run."""
        run = self.run_id or "(new)"
        return [f"{self.lake}: tables of run {run}, published if the checks pass"]


class ExportSettings(JobSettings):
    """Write the rankings of a run to files, for programs that serve them; a manifest names the files."""

    examples = (
        "cqa export published --lake build/lake --output build/rankings",
        "cqa export published --lake build/lake --output s3a://serving/rankings --format jsonl",
        "cqa export 20260101T000000Z-1234abcd --lake build/lake --output build/rankings --format csv --system best_a",
    )
    reading = ("{job.lake}: rankings of run {job.run}",)
    writing = ("{job.output}: a folder of {job.format} files, and manifest.json",)

    run: Annotated[RunName, NotHashed(), Positional(), Field(description="run to export, or: published")]
    output: Annotated[OutputFolder, NotHashed(), Field(description="folder of the files and of manifest.json")]
    format: Annotated[ExportFormat, Field(description="format of the files")] = "parquet"
    system: SystemName | None = Field(
        default=None, description="system to export; default: the system in the settings of the run"
    )

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(given, "output")


class ExportTrecSettings(JobSettings):
    """Write the rankings of a run as TREC runs, and its judgments as qrels, which trec_eval and ir_measures read."""

    examples = (
        "cqa export trec --lake build/lake build/trec",
        "cqa export trec --lake build/lake --run-id mine --system best_a --split dev build/trec",
    )
    reading = ("{job.lake}: rankings and examples of run {job.published_run}",)
    writing = ("{job.trec}: SYSTEM.TASK.SPLIT.run and TASK.SPLIT.qrels",)

    trec: Annotated[OutputFolder, NotHashed(), Positional(), Field(description="output folder of the TREC files")]
    run_id: ReadRunId = None
    system: Annotated[SystemName | None, Field(description="system to export; default: all")] = None
    split: Annotated[str | None, Shown("NAME"), Field(description="split to export; default: all")] = None

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(given, "trec")


class ExportDatasetSettings(JobSettings):
    """Write the examples, texts and rankings of a run as Parquet files, with a dataset card that describes them."""

    examples = ("cqa export dataset --lake build/lake build/dataset",)
    reading = ("{job.lake}: examples, texts and rankings of run {job.published_run}",)
    writing = ("{job.dataset}: TABLE/split=SPLIT/*.parquet, and README.md",)

    dataset: Annotated[OutputFolder, NotHashed(), Positional(), Field(description="output folder of the data set")]
    run_id: ReadRunId = None

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(given, "dataset")
