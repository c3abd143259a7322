"""``cqa evaluate-file`` and ``cqa compare-files``: measures of prediction files, without Spark.

Dependencies are imported when a command is called: scoring a prediction file starts without pandas and SciPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cqa_spark.evaluation.files.judging import JudgedSet
    from cqa_spark.settings.measuring import CompareFilesSettings, EvaluateFileSettings, PredictionFilesCommand


def print_scores(settings: EvaluateFileSettings) -> None:
    """Print the measures of prediction files: over all queries, or by query."""
    from cqa_spark.evaluation.evaluate import ReportedMeasure, query_records, records

    with _local_copies(settings) as (gold, *predictions):
        if settings.task == "sts":
            from cqa_spark.evaluation.files.scores import evaluate_scores

            correlations = evaluate_scores(Path(gold), [*map(Path, predictions)])
            _print(settings, [asdict(row) for row in correlations], str.capitalize, "{:.5f}".format)
            return
        judged = _judged(settings, gold, predictions)
        named = [ReportedMeasure(measure, str(measure), str(measure)) for measure in judged.measures(settings.measures)]
        reported = named if settings.measures else judged.reported
        about = ""
        if settings.per_query:
            rows = query_records(judged.rankings, reported)
        else:
            rows = records(judged.rankings, reported)
            about = judged.about() if settings.format == "table" else ""
    headings = {measure.key: measure.heading for measure in reported}
    caption = "\n".join(filter(None, ("in percent; --format json: fractions", about)))
    _print(settings, rows, lambda key: headings.get(key, key), lambda value: f"{100 * value:.2f}", caption)


def print_comparison(settings: CompareFilesSettings) -> None:
    """Compare prediction files with the baselines among them."""
    from cqa_spark.evaluation.compare_files import compare_rankings
    from cqa_spark.evaluation.statistics.bootstrap import Resampling
    from cqa_spark.process.record_formats import print_records, text_table
    from cqa_spark.process.terminal import Terminal
    from cqa_spark.reports.kit.tables import print_grid
    from cqa_spark.reports.sections.file_comparison import file_comparison_grid

    drawn = Resampling(**settings.resampling.model_dump())
    with _local_copies(settings) as (gold, *predictions):
        if settings.task == "sts":
            from cqa_spark.evaluation.files.scores import compare_scores

            comparisons = compare_scores(Path(gold), [*map(Path, predictions)], drawn)
        else:
            judged = _judged(settings, gold, predictions)
            baselines = [settings.predictions.index(file) for file in dict.fromkeys(settings.baselines)] or [0]
            comparisons = compare_rankings(judged.rankings, judged.measures(settings.measures), drawn, baselines)
    if settings.format == "json" or settings.format == "csv":
        print_records([compared.record() for compared in comparisons], settings.format)
        return
    grid = file_comparison_grid(comparisons, drawn.confidence)
    if settings.format == "table":
        print_grid(grid, Terminal())
    else:
        rows = [[name, *(f"{cell.text} {cell.small}".strip() for cell in cells)] for name, cells in grid.rows]
        right = [heading not in ("measure", *grid.texts) for heading in grid.headings]
        print(text_table(grid.headings, rows, settings.format, right), end="")


def _judged(settings: PredictionFilesCommand, gold: str, predictions: Sequence[str]) -> JudgedSet:
    from cqa_spark.evaluation.files.judging import judge
    from cqa_spark.evaluation.files.trec import TrecOptions

    options = TrecOptions(**settings.trec.model_dump())
    named = zip(settings.predictions, predictions, strict=True)
    return judge(gold, named, options, truncated=settings.task == "duplicate")


def _print(
    settings: EvaluateFileSettings,
    records: Sequence[Mapping[str, Any]],
    heading: Callable[[str], str],
    shown: Callable[[float], str],
    caption: str = "",
) -> None:
    """Print records about files, which have short names except in JSON and CSV."""
    from cqa_spark.evaluation.files.pairs import distinct_labels
    from cqa_spark.process.record_formats import print_records

    if settings.format not in ("json", "csv"):
        labels = distinct_labels([record["file"] for record in records])
        records = [{**record, "file": labels[record["file"]]} for record in records]
    headings = {key: heading(key) for key in records[0]}
    print_records(records, settings.format, headings=headings, shown=shown, caption=caption)


@contextmanager
def _local_copies(settings: PredictionFilesCommand) -> Iterator[list[str]]:
    """The gold file, or its id in ir_datasets, and the prediction files while the block runs, copied if remote."""
    from cqa_spark.object_store.locations import local_source
    from cqa_spark.settings.values import IR_DATASETS

    with ExitStack() as copies:
        yield [
            location
            if location.startswith(IR_DATASETS)
            else str(copies.enter_context(local_source(location, settings.object_storage)))
            for location in (settings.gold, *settings.predictions)
        ]
