"""The settings of commands that generate communities."""

from typing import Annotated

from pydantic import Field

from cqa_spark.config.file_commands import FilesCommand
from cqa_spark.config.site_names import SiteFolderName
from cqa_spark.config.value_types import OutputFolder, Size


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
