"""The settings of commands without lake or Spark; they have flags only and read no config files."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from cqa_spark.settings.conf_files import jars_folder, models_folder, project_root
from cqa_spark.settings.research_data import data_folder
from cqa_spark.settings.sections import Command, ObjectStorage, ObjectStorageSettings, OutputFormat
from cqa_spark.settings.values import (
    DataPackageName,
    GroupName,
    InputFile,
    OptionalFolder,
    OutputFolder,
    Positional,
    Shown,
    SiteFolderName,
    Size,
)


class CatalogueSettings(Command):
    """List all entries by name."""

    format: OutputFormat = "table"


class ShowGroupSettings(CatalogueSettings):
    """Show the columns of a feature group: meaning, source, and replacement of nulls."""

    examples = ("cqa features show lexicon_v2",)

    name: Annotated[GroupName, Positional(), Field(description="feature group; see cqa features list")]


class ShowSystemSettings(Command):
    """Show a system: feature groups, ranker with parameters, published scores and ours."""

    examples = ("cqa systems show best_a",)

    format: Annotated[Literal["yaml", "json"], Field(description="output format")] = "yaml"

    name: Annotated[str, Positional(), Shown("NAME"), Field(description="system; see cqa systems list")]


class NewSettings(Command):
    """Write a package with a plug-in, its entry point and a test on literal values, or a recipe.

    Install the package with ``pip install --editable NAME``; then its plug-in has a name like ours.
    """

    examples = (
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


class CompletionSettings(Command):
    """Print a script that completes commands and flags in a shell; source it in the shell's start-up file."""

    examples = ("cqa completion bash >> ~/.bashrc", "cqa completion zsh >> ~/.zshrc")

    shell: Annotated[Literal["bash", "zsh"], Positional(), Field(description="name of the shell")]


class SetupSettings(Command):
    """Download the jars that Spark needs, check their hashes, and store them for all jobs of this user."""

    examples = ("cqa setup", "cqa setup --models")

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

    examples = ("cqa demo",)
    writing = ("build/sample: the forum, if it is absent", "build/lake: tables, rankings, models and the report")

    def reads(self) -> list[str]:
        """The settings of the demo."""
        return [str(project_root() / "conf" / "demo.yaml")]


class FilesCommand(Command):
    """Base of the settings of commands on files."""

    object_storage: ObjectStorage = ObjectStorageSettings()


class ImportSettings(FilesCommand):
    """A question list, as the commands that import one write it."""

    writing = ("{job.output}: questions.jsonl and duplicates.tsv",)

    output: Annotated[OutputFolder, Field(description="folder for the list; its name is the site name")]


class ImportIrDatasetsSettings(ImportSettings):
    """Download a collection of ir_datasets whose documents are questions, and write it as a question list."""

    examples = ("cqa import ir-datasets irds:beir/cqadupstack/english --output build/english.stackexchange.com",)

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

    examples = ("cqa import cqadupstack cqadupstack/android.zip --output build/android.stackexchange.com",)
    reading = ("{job.archive}",)

    archive: Annotated[InputFile, Positional(), Field(description="the archive of one subforum, such as android.zip")]


class DataWhereSettings(CatalogueSettings):
    """Show a package of research data: official name, address, licence, and where its files lie in a folder."""

    examples = ("cqa data where semeval2016_task3",)

    name: Annotated[DataPackageName, Positional(), Field(description="package; see cqa data list")]
    folder: Annotated[OptionalFolder, Positional()] = Field(
        default="", description="local folder with the unpacked files; default: CQA_DATA, else data in the user's cache"
    )

    def reads(self) -> list[str]:
        """The folder."""
        return [self.folder or data_folder()]


class DataCheckSettings(DataWhereSettings):
    """Look for the files of a package in a folder, and say which are missing or differ from the official ones."""

    examples = ("cqa data check semeval2016_task3 semeval",)


class SynthStackExchangeSettings(FilesCommand):
    """Generate a synthetic Stack Exchange dump with learnable signal: eight files in OUTPUT/SITE."""

    examples = (
        "cqa synth stackexchange --output build/dumps --threads 500",
        "cqa synth stackexchange --output build/dumps --size 1GB --site big.example.org",
    )
    writing = ("{job.output}/{job.site}: eight files",)

    output: Annotated[OutputFolder, Field(description="output folder")]
    site: SiteFolderName = Field(
        default="sample.example.org", description="site name, and name of the folder in OUTPUT"
    )
    size: Size | None = Field(default=None, description="size of Posts.xml, such as 200MB or 1GB; overrides --threads")
    threads: int = Field(default=500, ge=1, description="number of threads")
    seed: int = Field(default=1, ge=0, description="random seed")
    workers: int | None = Field(
        default=None, ge=1, description="number of processes; does not affect the output; default: one per core"
    )
    signal: bool = Field(default=True, description="make good answers distinguishable from others")
    duplicates: float = Field(
        default=0.04, ge=0, lt=1, description="share of questions that repeat an earlier one in other words"
    )


class SynthSettings(FilesCommand):
    """Generate a synthetic Qatar Living dump with learnable signal: OUTPUT/train.xml and OUTPUT/dev.xml."""

    examples = ("cqa synth qatar-living --output build/sample --threads 400 --seed 1",)
    writing = ("{job.output}/train.xml", "{job.output}/dev.xml")

    output: Annotated[OutputFolder, Field(description="output folder")]
    threads: int = Field(default=400, ge=1, description="number of threads in train.xml")
    dev_threads: int = Field(default=100, ge=1, description="number of threads in dev.xml")
    seed: int = Field(default=1, ge=0, description="random seed")
