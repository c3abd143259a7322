"""``cqa synth``: generated dumps with learnable signal."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.settings.sections import FilesCommand
from cqa_spark.settings.values import OutputFolder, SiteFolderName, Size


class SynthSettings(FilesCommand):
    """Generate a synthetic Qatar Living dump with learnable signal: OUTPUT/train.xml and OUTPUT/dev.xml."""

    examples = ("cqa synth qatar-living --output build/sample --threads 400 --seed 1",)
    writing = ("{job.output}/train.xml", "{job.output}/dev.xml")

    output: Annotated[OutputFolder, Field(description="output folder")]
    threads: int = Field(default=400, ge=1, description="number of threads in train.xml")
    dev_threads: int = Field(default=100, ge=1, description="number of threads in dev.xml")
    seed: int = Field(default=1, ge=0, description="random seed")


def write_sample(settings: SynthSettings) -> None:
    """Write a synthetic dump."""
    from cqa_spark.object_store.locations import local_target
    from cqa_spark.process.terminal import Terminal
    from cqa_spark.synth import qatar_living

    with local_target(settings.output, settings.object_storage) as output:
        _require_absent(output / "train.xml")
        qatar_living.write_sample(
            output, threads=settings.threads, dev_threads=settings.dev_threads, seed=settings.seed
        )
    Terminal().line(f"wrote {settings.output}/train.xml and {settings.output}/dev.xml")


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


def write_stackexchange_dump(settings: SynthStackExchangeSettings) -> None:
    """Write a synthetic dump of a Stack Exchange site."""
    from cqa_spark.object_store.locations import local_target
    from cqa_spark.process.terminal import Terminal, progress_bar
    from cqa_spark.synth.stackexchange.dump import write_dump
    from cqa_spark.synth.stackexchange.population import threads_for_size

    threads = settings.threads if settings.size is None else threads_for_size(settings.size)
    with (
        local_target(settings.output, settings.object_storage) as output,
        progress_bar("threads", threads) as show,
    ):
        _require_absent(output / settings.site)
        dump = write_dump(
            output,
            site=settings.site,
            threads=threads,
            seed=settings.seed,
            workers=settings.workers,
            signal=settings.signal,
            duplicates=settings.duplicates,
            progress=show,
        )
    sizes = ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in dump.sizes.items())
    Terminal().line(f"wrote {settings.output}/{settings.site}: {sizes}")


def _require_absent(path: Path) -> None:
    """Refuse to overwrite a dump or a list.

    Raises:
        InputError: the file or folder exists.
    """
    from cqa_spark.errors import InputError

    if path.exists():
        raise InputError(f"{path} already exists", "name another --output, or remove it first")


JOBS = (
    Job("synth qatar-living", "generate a synthetic Qatar Living dump", "on files", SynthSettings, write_sample),
    Job(
        "synth stackexchange",
        "generate a synthetic Stack Exchange dump of any size",
        "on files",
        SynthStackExchangeSettings,
        write_stackexchange_dump,
    ),
)
