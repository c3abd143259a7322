"""The commands that write files without a lake: imports of question lists, and synthetic dumps.

Each imports its dependencies when called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cqa_spark.corpora.question_list import ListCounts
    from cqa_spark.settings.file_commands import (
        ImportCqaDupStackSettings,
        ImportIrDatasetsSettings,
        SynthSettings,
        SynthStackExchangeSettings,
    )


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
