"""The commands on files, which need no lake.

Each imports its dependencies when called: scoring a prediction file starts without Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cqa_spark.config.file_commands import (
        CompareFilesSettings,
        EvaluateFileSettings,
        ImportCqaDupStackSettings,
        ImportIrDatasetsSettings,
        PredictionFilesCommand,
    )
    from cqa_spark.config.synth_settings import SynthSettings, SynthStackExchangeSettings
    from cqa_spark.corpora.question_list.records import ListCounts
    from cqa_spark.evaluation.judged_rankings import JudgedRanking, ReportedMeasure


def print_scores(settings: EvaluateFileSettings) -> None:
    """Print the measures of prediction files, official ones or runs of TREC."""
    from cqa_spark.evaluation import evaluate_scores, judged_rankings
    from cqa_spark.process.terminal import Terminal

    as_json = settings.format == "json"
    with _local_copies(settings) as (gold, *predictions):
        if settings.task == "sts":
            correlations = evaluate_scores.evaluate_scores(gold, predictions)
            printed = (evaluate_scores.to_json if as_json else evaluate_scores.to_table)(correlations)
        else:
            files = _judged_files(settings, gold, predictions)
            printed = (
                judged_rankings.to_json(files.rankings, files.measures)
                if as_json
                else judged_rankings.to_table(files.rankings, files.measures, files.about())
            )
    if isinstance(printed, str):
        print(printed)
    else:
        Terminal().table(printed)


def print_comparison(settings: CompareFilesSettings) -> None:
    """Compare prediction files with the first of them."""
    from cqa_spark.evaluation.compare_rankings import compare_rankings, to_json
    from cqa_spark.evaluation.evaluate_scores import compare_scores
    from cqa_spark.evaluation.resampling import Resampling
    from cqa_spark.process.terminal import Terminal
    from cqa_spark.reports.kit.tables import print_grid
    from cqa_spark.reports.sections.file_comparison import file_comparison_grid

    drawn = Resampling(**settings.resampling.model_dump())
    with _local_copies(settings) as (gold, *predictions):
        if settings.task == "sts":
            comparisons = compare_scores(gold, predictions, drawn)
        else:
            files = _judged_files(settings, gold, predictions)
            comparisons = compare_rankings(files.rankings, files.compared, drawn)
    if settings.format == "json":
        print(to_json(comparisons))
    else:
        print_grid(file_comparison_grid(comparisons, drawn.confidence), Terminal())


def import_collection(settings: ImportIrDatasetsSettings) -> None:
    """Write a collection of ir_datasets as a question list."""
    from cqa_spark.corpora.ir_datasets import write_question_list

    _write_question_list(settings, lambda folder: write_question_list(settings.dataset, folder))


def import_subforum(settings: ImportCqaDupStackSettings) -> None:
    """Write a subforum of CQADupStack as a question list."""
    from cqa_spark.corpora.cqadupstack import write_question_list
    from cqa_spark.object_store.locations import local_source

    with local_source(settings.archive, settings.object_storage) as archive:
        _write_question_list(settings, lambda folder: write_question_list(archive, folder))


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
    from cqa_spark.synth.stackexchange.plan import threads_for_size

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


class _JudgedFiles(NamedTuple):
    """Prediction files, judged by their gold file.

    Attributes:
        rankings: the rankings.
        measures: the measures of ``evaluate-file``.
        compared: the measures of ``compare-files``, as written.
        about: what the measures can be compared with.
    """

    rankings: list[JudgedRanking]
    measures: Sequence[ReportedMeasure]
    compared: Sequence[str]
    about: Callable[[], str] = str


def _judged_files(settings: PredictionFilesCommand, gold: Path, predictions: Sequence[Path]) -> _JudgedFiles:
    """The rankings of official files, of truncated ones, or of runs of TREC, with their measures.

    Raises:
        ConfigError: options of TREC are given for SemEval's files.
        InputError: a file cannot be read, or has another layout.
    """
    from cqa_spark.config.file_commands import TrecSettings
    from cqa_spark.errors import ConfigError
    from cqa_spark.evaluation import official_files, trec_rankings, truncated_rankings
    from cqa_spark.evaluation.population import in_words, population
    from cqa_spark.evaluation.trec_files import is_qrels

    if settings.task == "duplicate":
        truncated = [truncated_rankings.truncated_ranking(gold, prediction) for prediction in predictions]
        return _JudgedFiles(truncated, truncated_rankings.TRUNCATED_MEASURES, truncated_rankings.COMPARED_MEASURES)
    if is_qrels(gold):
        options = trec_rankings.TrecOptions(**settings.trec.model_dump())
        runs = trec_rankings.judged_runs(gold, predictions, options)
        return _JudgedFiles(runs, trec_rankings.TREC_MEASURES, trec_rankings.MEASURES)
    if settings.trec != TrecSettings():
        raise ConfigError(f"{gold} has the layout of SemEval, to which trec.* does not apply", "omit trec.*")
    return _JudgedFiles(
        [official_files.ranked_file(gold, prediction) for prediction in predictions],
        official_files.OFFICIAL_MEASURES,
        official_files.COMPARED_MEASURES,
        lambda: in_words(population(gold, "MAP@10"), "MAP"),
    )


def _require_absent(path: Path) -> None:
    """Refuse to overwrite a dump or a list.

    Raises:
        InputError: the file or folder exists.
    """
    from cqa_spark.errors import InputError

    if path.exists():
        raise InputError(f"{path} already exists", "name another --output, or remove it first")


@contextmanager
def _local_copies(settings: PredictionFilesCommand) -> Iterator[list[Path]]:
    """The gold file and the prediction files while the block runs; copies of remote files and of ir_datasets."""
    from cqa_spark.config.value_types import IR_DATASETS
    from cqa_spark.evaluation.ir_datasets_qrels import catalogue_qrels
    from cqa_spark.object_store.locations import local_source

    listed = settings.gold.startswith(IR_DATASETS)
    with ExitStack() as copies:
        gold = catalogue_qrels(settings.gold) if listed else local_source(settings.gold, settings.object_storage)
        predictions = [local_source(each, settings.object_storage) for each in settings.predictions]
        yield [copies.enter_context(each) for each in (gold, *predictions)]
