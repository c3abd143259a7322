"""The settings of ``evaluate-file`` and ``compare-files``."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from cqa_spark.settings.file_commands import FilesCommand
from cqa_spark.settings.sections import NotHashed, ResamplingSettings, SettingsSection
from cqa_spark.settings.values import InputFiles, JudgmentsFile, MeasureNames, Positional, one_or_many

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
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Settings of rankings for files of scores."""
        for key in cls.of_rankings:
            if given.get("task") == "sts" and given.get(key):
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
        "cqa evaluate-file android_test.relevancy best_e.pred --task duplicate",
        "cqa evaluate-file STS.gs.headlines.txt STS.output.headlines.txt --task sts",
    )

    predictions: Annotated[
        InputFiles, Positional(), Field(min_length=1, description="official prediction files, or runs of TREC")
    ]
    per_query: bool = Field(default=False, description="print the measures of each query")

    of_rankings: ClassVar[tuple[str, ...]] = ("measures", "per_query")


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
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Settings of rankings for files of scores; baselines that are not compared."""
        yield from super().contradictions(given)
        others = [
            file for file in one_or_many(given.get("baselines") or ()) if file not in one_or_many(given["predictions"])
        ]
        if others:
            yield "baselines", f"{', '.join(others)}: not among the prediction files", "name files that are compared"
