"""The settings of commands that need neither lake nor Spark; they have flags only."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import ByteSize, Field

from cqa_spark.config.command import Command
from cqa_spark.config.fields import ObjectStorage
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.sections import ResamplingSettings
from cqa_spark.config.value_types import GroupName, InputFile, InputFiles, Location, Positional, Shown


class CatalogueSettings(Command):
    """List what there is, by name."""


class ShowGroupSettings(Command):
    """Show the columns of one feature group: meaning, source, and what stands for "not known"."""

    examples: ClassVar[tuple[str, ...]] = ("cqa features show lexicon_v1",)

    name: Annotated[GroupName, Positional(), Field(description="feature group; cqa features list names them")]


class FilesCommand(Command):
    """What commands on files are told beside them."""

    object_storage: ObjectStorage = ObjectStorageSettings()


class PredictionFilesCommand(FilesCommand):
    """What commands on prediction files are told."""

    gold: Annotated[InputFile, Positional(), Field(description="official file of judgments")]
    predictions: InputFiles
    format: Annotated[Literal["table", "json"], Field(description="table for people, JSON in full precision")] = "table"

    def reads(self) -> list[str]:
        """The gold file and the prediction files."""
        return [self.gold, *self.predictions]


class EvaluateFileSettings(PredictionFilesCommand):
    """Score official prediction files against a gold file, exactly as the official scorer does; without Spark."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa evaluate-file dev.xml.subtaskA.relevancy best_a.pred",
        "cqa evaluate-file dev.xml.subtaskA.relevancy *.pred --format json",
    )

    predictions: Annotated[
        InputFiles, Positional(), Field(min_length=1, description="official prediction files, each scored by itself")
    ]


class CompareFilesSettings(PredictionFilesCommand):
    """Tell prediction files apart from the first of them: intervals and paired tests; without Spark."""

    examples: ClassVar[tuple[str, ...]] = ("cqa compare-files dev.xml.subtaskA.relevancy official.pred best_a.pred",)

    predictions: Annotated[
        InputFiles,
        Positional(),
        Field(min_length=2, description="official prediction files of the same queries; the first is the baseline"),
    ]
    resampling: ResamplingSettings = ResamplingSettings()


class SynthStackExchangeSettings(FilesCommand):
    """Invent a dump of a Stack Exchange site, of any size, with learnable signal: eight files in OUTPUT/SITE."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa synth stackexchange --output build/dumps --threads 500",
        "cqa synth stackexchange --output build/dumps --size 1GB --site big.example.org",
    )

    output: Annotated[Location, Field(description="folder to write to")]
    site: str = Field(default="sample.example.org", description="name of the site, and of the folder in OUTPUT")
    size: Annotated[
        ByteSize | None,
        Shown("SIZE"),
        Field(description="size of Posts.xml, such as 200MB or 1GB; instead of --threads"),
    ] = None
    threads: int = Field(default=500, ge=1, description="questions with their answers")
    seed: int = Field(default=1, ge=0, description="seed of everything that is invented")
    workers: int | None = Field(default=None, ge=1, description="processes; they change no byte; unset: one a core")
    signal: bool = Field(default=True, description="whether good answers differ from others in what can be learned")

    def writes(self) -> list[str]:
        """The dump."""
        return [f"{self.output}/{self.site}: eight files"]


class SynthSettings(FilesCommand):
    """Invent a Qatar Living dump with learnable signal: OUTPUT/train.xml and OUTPUT/dev.xml."""

    examples: ClassVar[tuple[str, ...]] = ("cqa synth qatar-living --output build/sample --threads 400 --seed 1",)

    output: Annotated[Location, Field(description="folder to write to")]
    threads: int = Field(default=400, ge=1, description="threads of train.xml")
    dev_threads: int = Field(default=100, ge=1, description="threads of dev.xml")
    seed: int = Field(default=1, ge=0, description="seed of everything that is invented")

    def writes(self) -> list[str]:
        """The two dumps."""
        return [f"{self.output}/train.xml", f"{self.output}/dev.xml"]
