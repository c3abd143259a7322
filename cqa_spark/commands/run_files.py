"""``cqa check-files`` and ``cqa fuse``: what is done with runs before they are measured, without Spark."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.settings.sections import FilesCommand
from cqa_spark.settings.values import InputFile, InputFiles, NotHashed, OutputFile, Positional


class CheckFilesSettings(FilesCommand):
    """Check whether runs fit judgments: queries and ids that do not match, documents without judgment, ties, order."""

    examples = (
        "cqa check-files dev.qrels bm25.run dense.run",
        "cqa check-files dev.qrels bm25.run --format json",
    )

    gold: Annotated[InputFile, Positional(), Field(description="judgments: TREC qrels, also in BEIR's form or JSON")]
    runs: Annotated[InputFiles, Positional(), Field(min_length=1, description="runs of TREC, also in JSON")]
    format: Annotated[Literal["table", "json"], NotHashed(), Field(description="output format; JSON has all ids")] = (
        "table"
    )

    def reads(self) -> list[str]:
        """The judgments and the runs."""
        return [self.gold, *self.runs]


class FuseSettings(FilesCommand):
    """Fuse runs into one, by reciprocal ranks or by scores."""

    examples = (
        "cqa fuse bm25.run dense.run --output fused.run",
        "cqa fuse bm25.run dense.run ours.run --method combmnz --output fused.run",
    )
    runs: Annotated[InputFiles, Positional(), Field(min_length=2, description="runs of TREC for the same queries")]
    output: Annotated[OutputFile, NotHashed(), Field(description="run to write")]
    method: Literal["rrf", "combsum", "combmnz"] = Field(
        default="rrf",
        description="rrf: sums of 1 / (60 + rank); combsum: sums of scores, scaled to 0 to 1 for each run and query; "
        "combmnz: these sums times the number of runs with the document",
    )

    def reads(self) -> list[str]:
        """The runs."""
        return list(self.runs)

    def writes(self) -> list[str]:
        """The fused run."""
        return [self.output]


def check_files(settings: CheckFilesSettings) -> None:
    """Print how each run fits the judgments.

    Raises:
        InputError: a run has no query in common with the judgments.
    """
    from cqa_spark.errors import InputError
    from cqa_spark.evaluation.files.checking import FIRST, check_run
    from cqa_spark.evaluation.files.pairs import distinct_labels, some
    from cqa_spark.evaluation.files.trec import read_qrels, read_run
    from cqa_spark.object_store.locations import local_source
    from cqa_spark.process.record_formats import print_records

    checks = {}
    with ExitStack() as copies:
        paths = [copies.enter_context(local_source(path, settings.object_storage)) for path in settings.reads()]
        gold, *runs = map(Path, paths)
        grades = read_qrels(gold)
        for name, path in zip(settings.runs, runs, strict=True):
            checks[name] = check_run(grades, read_run(path))
    if settings.format == "json":
        print_records([{"run": name, **asdict(check)} for name, check in checks.items()], "json")
    else:
        labels = distinct_labels([*checks])
        rows = [
            {
                "run": labels[name],
                "queries": f"{check.judged - len(check.unranked)} of {check.judged}",
                "not ranked": some(check.unranked) or "-",
                "not judged": some(check.unjudged) or "-",
                "nearly equal": some(f"{ranked} = {judged}" for ranked, judged in check.near) or "-",
                f"unjudged in {FIRST}": f"{100 * check.unjudged_first:.1f} %",
                "tied": len(check.tied),
                "not in order": len(check.disordered),
            }
            for name, check in checks.items()
        ]
        print_records(rows, "table", caption="tied: queries with equal scores of documents with different grades")
    if strange := [name for name, check in checks.items() if not check.measurable]:
        raise InputError(
            f"{', '.join(strange)}: no query in common with {settings.gold}", "give the qrels of the same queries"
        )


def fuse_files(settings: FuseSettings) -> None:
    """Write the fusion of the runs."""
    from cqa_spark.evaluation.files.fusion import fuse
    from cqa_spark.evaluation.files.trec import read_run, write_run
    from cqa_spark.object_store.locations import local_source, local_target

    with ExitStack() as copies:
        paths = [copies.enter_context(local_source(path, settings.object_storage)) for path in settings.runs]
        runs = [read_run(Path(path)) for path in paths]
        target = copies.enter_context(local_target(settings.output, settings.object_storage))
        write_run(Path(target), fuse(runs, settings.method, name=settings.method))


JOBS = (
    Job("check-files", "check whether TREC runs fit judgments", "on files", CheckFilesSettings, check_files),
    Job("fuse", "fuse TREC runs into one", "on files", FuseSettings, fuse_files),
)
