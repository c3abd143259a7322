"""The settings of commands without lake or Spark; they have flags only and read no config files."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from cqa_spark.config.fields import ObjectStorage, OutputFormat
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.project_root import jars_folder, models_folder, project_root
from cqa_spark.config.sections import Command, ResamplingSettings, SettingsSection
from cqa_spark.config.value_types import (
    GroupName,
    InputFile,
    InputFiles,
    JudgmentsFile,
    OutputFolder,
    Positional,
    Shown,
)


class CatalogueSettings(Command):
    """List all entries by name."""

    format: OutputFormat = "table"


class ShowGroupSettings(CatalogueSettings):
    """Show the columns of a feature group: meaning, source, and replacement of nulls."""

    examples: ClassVar[tuple[str, ...]] = ("cqa features show lexicon_v2",)

    name: Annotated[GroupName, Positional(), Field(description="feature group; see cqa features list")]


class ShowSystemSettings(CatalogueSettings):
    """Show a system: feature groups, ranker with parameters, and the published scores that it reproduces."""

    examples: ClassVar[tuple[str, ...]] = ("cqa systems show best_a",)

    name: Annotated[str, Positional(), Shown("NAME"), Field(description="system; see cqa systems list")]


class NewSettings(Command):
    """Write a package with a plug-in, its entry point and a test on literal values, or a recipe.

    Install the package with ``pip install --editable NAME``; then its plug-in has a name like ours.
    """

    examples: ClassVar[tuple[str, ...]] = (
        "cqa new feature-group shoe_size",
        "cqa new ranker coin_toss --output plugins",
        "cqa new recipe mine",
    )

    kind: Annotated[
        Literal["feature-group", "ranker", "measure", "task", "recipe"],
        Positional(),
        Field(description="kind of plug-in"),
    ]
    name: Annotated[
        str,
        StringConstraints(pattern="^[a-z][a-z0-9_]*$"),
        Positional(),
        Shown("NAME"),
        Field(description="name of the plug-in and its package: small letters, digits and underscores"),
    ]
    output: Annotated[OutputFolder, Field(description="folder of the package, or of the recipe")] = "."


class SetupSettings(Command):
    """Download the jars that Spark needs, check their hashes, and store them for all jobs of this user."""

    examples: ClassVar[tuple[str, ...]] = ("cqa setup", "cqa setup --models")

    write_hashes: bool = Field(
        default=False, description="record the jars' hashes in conf/spark/jars.sha256 in place of checking them"
    )
    models: bool = Field(
        default=False, description="download the embedding models of conf/models that do not come with the jars"
    )

    def writes(self) -> list[str]:
        """The jars, or the models."""
        if self.models:
            return [f"{models_folder()}: the embedding models of conf/models"]
        return [f"{jars_folder()}: the jars of conf/spark/jars.conf"]


class DemoSettings(Command):
    """Generate a small forum in build/sample, rank its comments, and write the report, build/lake/report.html."""

    examples: ClassVar[tuple[str, ...]] = ("cqa demo",)

    def reads(self) -> list[str]:
        """The settings of the demo."""
        return [str(project_root() / "conf" / "demo.yaml")]

    def writes(self) -> list[str]:
        """The forum and the lake."""
        return ["build/sample: the forum, if it is absent", "build/lake: tables, rankings, models and the report"]


class FilesCommand(Command):
    """Base of the settings of commands on files."""

    object_storage: ObjectStorage = ObjectStorageSettings()


class TrecSettings(SettingsSection):
    """TREC runs and qrels, also BEIR's qrels and MS MARCO's runs."""

    relevance_level: int = Field(
        default=1, ge=1, description="lowest grade that counts as relevant, -l of trec_eval; nDCG ignores it"
    )
    precision: Literal["double", "single"] = Field(
        default="double",
        description="precision in which scores are compared: double, as in trec_eval 10, or single, as in trec_eval 9, "
        "pytrec_eval and ir_measures",
    )
    judged_only: bool = Field(default=False, description="leave out documents without judgment, -J of trec_eval")


class PredictionFilesCommand(FilesCommand):
    """Base of the settings of commands on prediction files."""

    gold: Annotated[
        JudgmentsFile,
        Positional(),
        Field(description="official file of judgments or gold scores, TREC qrels, or irds:ID for those of ir_datasets"),
    ]
    predictions: InputFiles
    task: Annotated[
        Literal["ranking", "duplicate", "sts"],
        Field(
            description="ranking: files of SemEval Task 3 or TREC; duplicate: truncated rankings of subtask E, for "
            "TMAP; sts: scores, one a line, or folders of such files"
        ),
    ] = "ranking"
    trec: TrecSettings = TrecSettings()
    format: OutputFormat = "table"

    def reads(self) -> list[str]:
        """The gold file and the prediction files."""
        return [self.gold, *self.predictions]


class EvaluateFileSettings(PredictionFilesCommand):
    """Score prediction files as the official scorer does, or TREC runs as trec_eval does, without Spark."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa evaluate-file dev.xml.subtaskA.relevancy best_a.pred",
        "cqa evaluate-file dev.xml.subtaskA.relevancy *.pred --format json",
        "cqa evaluate-file dev.qrels best_a.run --trec.relevance-level 2",
        "cqa evaluate-file irds:antique/test best_a.run",
        "cqa evaluate-file android_test.relevancy best_e.pred --task duplicate",
        "cqa evaluate-file STS.gs.headlines.txt STS.output.headlines.txt --task sts",
    )

    predictions: Annotated[
        InputFiles, Positional(), Field(min_length=1, description="official prediction files, or runs of TREC")
    ]


class CompareFilesSettings(PredictionFilesCommand):
    """Compare prediction files with the first one: confidence intervals and paired tests, without Spark."""

    examples: ClassVar[tuple[str, ...]] = ("cqa compare-files dev.xml.subtaskA.relevancy official.pred best_a.pred",)

    predictions: Annotated[
        InputFiles,
        Positional(),
        Field(min_length=2, description="prediction files or runs for the same queries; the first is the baseline"),
    ]
    resampling: ResamplingSettings = ResamplingSettings()


class ImportSettings(FilesCommand):
    """A question list, as the commands that import one write it."""

    output: Annotated[OutputFolder, Field(description="folder for the list; its name is the site name")]

    def writes(self) -> list[str]:
        """The question list."""
        return [f"{self.output}: questions.jsonl and duplicates.tsv"]


class ImportIrDatasetsSettings(ImportSettings):
    """Download a collection of ir_datasets whose documents are questions, and write it as a question list."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa import ir-datasets irds:beir/cqadupstack/english --output build/english.stackexchange.com",
    )

    dataset: Annotated[
        str,
        Positional(),
        Shown("ID"),
        Field(
            description="id in the catalogue of ir_datasets, with or without the prefix; documents that are answers or "
            "passages would be listed as questions"
        ),
    ]


class ImportCqaDupStackSettings(ImportSettings):
    """Write a subforum of CQADupStack, in its own zip archive, as a question list."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa import cqadupstack cqadupstack/android.zip --output build/android.stackexchange.com",
    )

    archive: Annotated[InputFile, Positional(), Field(description="the archive of one subforum, such as android.zip")]

    def reads(self) -> list[str]:
        """The archive."""
        return [self.archive]
