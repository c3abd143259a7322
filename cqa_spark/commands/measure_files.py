"""``cqa evaluate-file`` and ``cqa compare-files``: measures of prediction files, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.settings.sections import FilesCommand, ResamplingSettings, SettingsSection
from cqa_spark.settings.values import (
    InputFiles,
    JudgmentsFile,
    MeasureNames,
    NotHashed,
    Positional,
    PublishedTableName,
    one_or_many,
)

if TYPE_CHECKING:
    from cqa_spark.evaluation.files.judging import JudgedSet


RecordsFormat = Annotated[
    Literal["table", "json", "csv", "latex", "markdown"],
    NotHashed(),
    Field(description="output format; JSON and CSV have fractions in full precision, the others points"),
]


class TrecSettings(SettingsSection):
    """TREC runs and qrels, also BEIR's qrels, runs of MS MARCO and ColBERT, and JSON of ranx and pytrec_eval."""

    flag_prefix = ""
    rare = frozenset({"ignore_identical_ids"})

    relevance_level: int = Field(
        default=1, ge=1, description="lowest grade that counts as relevant, -l of trec_eval; nDCG ignores it"
    )
    precision: Literal["double", "single"] = Field(
        default="double",
        description="precision in which scores are compared: double, as in trec_eval 10, or single, as in trec_eval 9, "
        "pytrec_eval and ir_measures",
    )
    judged_only: bool = Field(default=False, description="leave out documents without judgment, -J of trec_eval")
    ignore_identical_ids: bool = Field(
        default=False, description="leave out documents with the id of their query, as BEIR does"
    )


class PredictionFilesCommand(FilesCommand):
    """Base of the settings of commands on prediction files."""

    gold: Annotated[
        JudgmentsFile,
        Positional(),
        Field(description="official file of judgments or gold scores, TREC qrels, or irds:ID for those of ir_datasets"),
    ]
    predictions: InputFiles
    task: Literal["ranking", "duplicate", "sts"] = Field(
        default="ranking",
        description="ranking: files of SemEval Task 3 or TREC; duplicate: truncated rankings of subtask E, for "
        "TMAP; sts: scores, one a line, or folders of such files",
    )
    measures: MeasureNames = Field(
        default=(),
        description="measures, by our names or those of ir_measures, such as MAP@10, P(rel=2)@5, RBP(p=.8), bpref; "
        "default: those of the official scorer, or of trec_eval",
    )
    trec: TrecSettings = TrecSettings()
    format: RecordsFormat = "table"

    of_rankings: ClassVar[tuple[str, ...]] = ("measures",)
    """Settings that do not apply to the task sts."""

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Settings of rankings for files of scores."""
        for key in cls.of_rankings:
            if values.get("task") == "sts" and values.get(key):
                yield key, f"{key} does not apply to the task sts", f"omit {key}: scores are measured by correlation"

    def reads(self) -> list[str]:
        """The gold file and the prediction files."""
        return [self.gold, *self.predictions]


class EvaluateFileSettings(PredictionFilesCommand):
    """Score prediction files as the official scorer does, or TREC runs as trec_eval does, without Spark."""

    examples = (
        "cqa evaluate-file dev.xml.subtaskA.relevancy best_a.pred",
        "cqa evaluate-file dev.xml.subtaskA.relevancy *.pred --format json",
        "cqa evaluate-file dev.qrels *.run --relevance-level 2 --measures nDCG@10 bpref Judged@10 --format latex",
        "cqa evaluate-file dev.qrels best_a.run --per-query --format csv",
        "cqa evaluate-file irds:antique/test best_a.run",
        "cqa evaluate-file android_test.relevancy fused_e.pred --task duplicate",
        "cqa evaluate-file STS.gs.headlines.txt STS.output.headlines.txt --task sts",
        "cqa evaluate-file test.xml.subtaskA.relevancy best_a.pred --against semeval2016_a",
    )

    predictions: Annotated[
        InputFiles, Positional(), Field(min_length=1, description="official prediction files, or runs of TREC")
    ]
    per_query: bool = Field(default=False, description="print the measures of each query")
    against: PublishedTableName = Field(
        default="",
        description="table of published results in conf/published: print the rank that each file would have had, by "
        "the official measure or those named, with its interval and its neighbours",
    )

    of_rankings: ClassVar[tuple[str, ...]] = ("measures", "per_query")

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Settings of rankings for files of scores; a rank by single queries."""
        yield from super().contradictions(given)
        if given.get("against") and given.get("per_query"):
            yield "per_query", "a published table has no values of single queries", "omit per-query or against"


class CompareFilesSettings(PredictionFilesCommand):
    """Compare prediction files with the first one: confidence intervals and paired tests, without Spark."""

    examples = (
        "cqa compare-files dev.xml.subtaskA.relevancy official.pred best_a.pred",
        "cqa compare-files dev.qrels bm25.run dense.run ours.run --baselines bm25.run dense.run --measures nDCG@10",
    )

    predictions: Annotated[
        InputFiles,
        Positional(),
        Field(min_length=2, description="prediction files or runs for the same queries; the first is the baseline"),
    ]
    baselines: InputFiles = Field(
        default=(),
        description="prediction files with which the others are compared, adjusted by Holm; default: the first",
    )
    resampling: ResamplingSettings = ResamplingSettings()

    of_rankings: ClassVar[tuple[str, ...]] = ("measures", "baselines")

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Settings of rankings for files of scores; baselines that are not compared."""
        yield from super().contradictions(values)
        others = [
            file
            for file in one_or_many(values.get("baselines") or ())
            if file not in one_or_many(values["predictions"])
        ]
        if others:
            yield "baselines", f"{', '.join(others)}: not among the prediction files", "name files that are compared"


def print_scores(settings: EvaluateFileSettings) -> None:
    """Print the measures of prediction files: over all queries, or by query."""
    from cqa_spark.evaluation.evaluate import ReportedMeasure, query_records, records

    with _local_copies(settings) as (gold, *predictions):
        if settings.against:
            _print_standings(settings, gold, predictions)
            return
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


def _print_standings(settings: EvaluateFileSettings, gold: str, predictions: Sequence[str]) -> None:
    """Print the rank that each file would have had in the published table."""
    from cqa_spark.errors import ConfigError
    from cqa_spark.evaluation.published import (
        ranking_standings,
        read_published_table,
        score_standings,
        shown_standings,
    )

    table = read_published_table(settings.against)
    if settings.task != table.task:
        raise ConfigError(f"{table.name} is a table of the task {table.task}", f"add --task {table.task}")
    if table.task == "sts":
        files = dict(zip(settings.predictions, map(Path, predictions), strict=True))
        standings = score_standings(table, Path(gold), files)
    else:
        judged = _judged(settings, gold, predictions)
        measures = [*map(str, judged.measures(settings.measures))] if settings.measures else []
        standings = ranking_standings(table, judged.rankings, measures)
    if settings.format in ("json", "csv"):
        records = [row._asdict() for row in standings]
    else:
        records = [*shown_standings(table, standings)]
    caption = table.source if table.complete else f"{table.source}; not all of its runs are known"
    _print(settings, records, str, str, caption if settings.format == "table" else "")


def print_comparison(settings: CompareFilesSettings) -> None:
    """Compare prediction files with the baselines among them."""
    from cqa_spark.evaluation.compare_files import compare_rankings
    from cqa_spark.evaluation.statistics.bootstrap import Resampling
    from cqa_spark.process.record_formats import print_records, text_table
    from cqa_spark.process.terminal import Terminal
    from cqa_spark.reports.kit.console import cell_text, print_blocks
    from cqa_spark.reports.sections.file_comparison import file_comparison_table

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
    table = file_comparison_table(comparisons, drawn.confidence)
    if settings.format == "table":
        print_blocks([table], Terminal())
    else:
        rows = [[str(name), *map(cell_text, cells)] for name, cells, _ in table.lines]
        right = [heading not in ("measure", *table.texts) for heading in table.headings]
        print(text_table(table.headings, rows, settings.format, right), end="")


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


JOBS = (
    Job(
        "evaluate-file",
        "score official prediction files or TREC runs, without Spark",
        "on files",
        EvaluateFileSettings,
        print_scores,
    ),
    Job(
        "compare-files",
        "compare prediction files or TREC runs, without Spark",
        "on files",
        CompareFilesSettings,
        print_comparison,
    ),
)
