"""The commands that need no lake: they work on files, or print lists.

Each imports its dependencies when called: scoring a prediction file starts without Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from cqa_spark.config.file_commands import (
        CatalogueSettings,
        CompareFilesSettings,
        EvaluateFileSettings,
        PredictionFilesCommand,
        ShowGroupSettings,
        SynthSettings,
        SynthStackExchangeSettings,
    )


def print_scores(settings: EvaluateFileSettings) -> None:
    """Print the official measures of prediction files."""
    from cqa_spark.evaluation.evaluate_file import evaluate_files, to_json, to_table
    from cqa_spark.process.terminal import Terminal

    with _local_copies(settings) as (gold, *predictions):
        scores = evaluate_files(gold, predictions)
    if settings.format == "json":
        print(to_json(scores))
    else:
        Terminal().table(to_table(scores))


def print_comparison(settings: CompareFilesSettings) -> None:
    """Compare prediction files with the first of them."""
    from cqa_spark.evaluation.compare_files import compare_files, to_json
    from cqa_spark.process.terminal import Terminal
    from cqa_spark.reports.file_comparison import file_comparison_grid
    from cqa_spark.reports.kit.console import print_grid

    with _local_copies(settings) as (gold, *predictions):
        found = compare_files(gold, predictions, **settings.resampling.model_dump())
    if settings.format == "json":
        print(to_json(found))
    else:
        print_grid(file_comparison_grid(found, settings.resampling.confidence), Terminal())


def write_sample(settings: SynthSettings) -> None:
    """Write a synthetic dump."""
    from cqa_spark.object_store.locations import local_target
    from cqa_spark.process.terminal import Terminal
    from cqa_spark.synth import qatar_living

    with local_target(settings.output, settings.object_storage) as output:
        qatar_living.write_sample(
            output, threads=settings.threads, dev_threads=settings.dev_threads, seed=settings.seed
        )
    Terminal().line(f"wrote {settings.output}/train.xml and {settings.output}/dev.xml")


def write_stackexchange_dump(settings: SynthStackExchangeSettings) -> None:
    """Write a synthetic dump of a Stack Exchange site."""
    from cqa_spark.object_store.locations import local_target
    from cqa_spark.process.terminal import Terminal, progress_bar
    from cqa_spark.synth.stackexchange.dump import write_dump
    from cqa_spark.synth.stackexchange.plan import threads_for_size

    threads = settings.threads if settings.size is None else threads_for_size(settings.size)
    with (
        local_target(settings.output, settings.object_storage) as output,
        progress_bar("threads", threads) as show,
    ):
        dump = write_dump(
            output,
            site=settings.site,
            threads=threads,
            seed=settings.seed,
            workers=settings.workers,
            signal=settings.signal,
            progress=show,
        )
    sizes = ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in dump.sizes.items())
    Terminal().line(f"wrote {settings.output}/{settings.site}: {sizes}")


def print_groups(settings: CatalogueSettings) -> None:
    """Print all feature groups."""
    from cqa_spark.features.catalogue import list_groups
    from cqa_spark.process.terminal import Terminal

    Terminal().table(list_groups())


def print_group(settings: ShowGroupSettings) -> None:
    """Print the columns of a feature group."""
    from cqa_spark.features.catalogue import show_group
    from cqa_spark.process.terminal import Terminal

    Terminal().table(show_group(settings.name))


def print_systems(settings: CatalogueSettings) -> None:
    """Print all systems."""
    from cqa_spark.config.project_root import project_root
    from cqa_spark.process.terminal import Column, Terminal, TextTable
    from cqa_spark.systems.system import known_systems, read_system

    names = [Column(name, whole=True) for name in ("system", "task", "ranker")]
    table = TextTable(*names, "about", title="Systems", caption="recipes: conf/systems")
    for system in (read_system(project_root() / "conf", name) for name in known_systems(project_root() / "conf")):
        table.add_row(system.name, system.task, system.ranker.name, system.about)
    Terminal().table(table)


@contextmanager
def _local_copies(settings: PredictionFilesCommand) -> Iterator[list[Path]]:
    """The gold file and the prediction files, as local copies if remote, while the block runs."""
    from cqa_spark.object_store.locations import local_source

    with ExitStack() as copies:
        yield [copies.enter_context(local_source(each, settings.object_storage)) for each in settings.reads()]
