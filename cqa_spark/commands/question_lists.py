"""``cqa import``: collections of other projects → question lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.commands.synth import _require_absent
from cqa_spark.settings.sections import FilesCommand
from cqa_spark.settings.values import InputFile, OutputFolder, Positional, Shown

if TYPE_CHECKING:
    from cqa_spark.corpora.question_list import ListCounts


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


def import_collection(settings: ImportIrDatasetsSettings) -> None:
    """Write a collection of ir_datasets as a question list."""
    from cqa_spark.corpora.ir_datasets import write_question_list

    _write_question_list(settings, lambda folder: write_question_list(settings.dataset, folder))


def import_subforum(settings: ImportCqaDupStackSettings) -> None:
    """Write a subforum of CQADupStack as a question list."""
    from cqa_spark.corpora.question_list import write_subforum
    from cqa_spark.object_store.locations import local_source

    with local_source(settings.archive, settings.object_storage) as archive:
        _write_question_list(settings, lambda folder: write_subforum(archive, folder))


def _write_question_list(
    settings: ImportIrDatasetsSettings | ImportCqaDupStackSettings, write: Callable[[Path], ListCounts]
) -> None:
    """Write a question list, which gets its name when it is complete.

    Args:
        settings: settings of the command.
        write: writes the files of the list into a folder.
    """
    from tempfile import TemporaryDirectory

    from cqa_spark.object_store.locations import local_target
    from cqa_spark.process.terminal import Terminal

    with local_target(settings.output, settings.object_storage) as output:
        _require_absent(output)
        output.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=output.parent, prefix=".cqa-import-") as scratch:
            unfinished = Path(scratch, output.name)
            unfinished.mkdir()
            lines = write(unfinished)
            unfinished.rename(output)
    Terminal().line(f"wrote {settings.output}: {lines.questions:,} questions, {lines.duplicates:,} known duplicates")


JOBS = (
    Job(
        "import ir-datasets",
        "download a collection of ir_datasets as a question list",
        "on files",
        ImportIrDatasetsSettings,
        import_collection,
    ),
    Job(
        "import cqadupstack",
        "write a subforum of CQADupStack as a question list",
        "on files",
        ImportCqaDupStackSettings,
        import_subforum,
    ),
)
