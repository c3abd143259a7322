"""metrics + rankings → the page that people read."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import functions as F
from rich.console import Console

from cqa_spark.config.settings import ReportSettings
from cqa_spark.experiments.preferred_answer.study import found_study
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES
from cqa_spark.lake.schemas.metrics import (
    ABLATIONS,
    COMPARISONS,
    CROSS_VALIDATIONS,
    LEARNING_CURVES,
    METRICS,
    QUERY_METRICS,
)
from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.object_store.locations import write_file
from cqa_spark.reports.collect import collect_content, run_facts
from cqa_spark.reports.console import print_systems
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.page import page_bytes
from cqa_spark.reports.render import render
from cqa_spark.runtime.workspace import open_job
from cqa_spark.steps.cautions import cautions
from cqa_spark.steps.explanations import explained_stories

SHOWN = (
    RANKINGS,
    EXAMPLES,
    METRICS,
    COMPARISONS,
    QUERY_METRICS,
    FEATURE_IMPORTANCES,
    DOCUMENTS,
    TEXTS,
    POSTS,
    CROSS_VALIDATIONS,
    ABLATIONS,
    LEARNING_CURVES,
    QUARANTINE,
    INGESTED_FILES,
    CHANGES,
    CHECKS,
)


def report(settings: ReportSettings) -> None:
    """Write the report of a run that was evaluated."""
    with open_job(settings, "report", resume=True) as run:
        content = report_step(
            run, path=settings.report, measures=settings.evaluation.measures, baseline=settings.baseline
        )
    show(content, run.record.artifacts["report"])


def report_step(
    run: Run,
    *,
    path: str | None,
    measures: tuple[str, ...],
    baseline: str,
) -> RunReport:
    """Gather what the page shows, and write it.

    Args:
        run: a run that was evaluated.
        path: HTML file; None for one inside the lake.
        measures: order of the measures; the first one orders the systems.
        baseline: system that the others are compared with.

    An experiment on preferred answers has measures and a baseline of its own.
    """
    study = found_study(run)
    if study:
        measures, baseline = study.measures, study.baseline
    with run.step("report") as step:
        step.rows_in = run.read(RANKINGS).count()
        task, split, best_system = _headline(run, measures[0])
        best_system = study.leading if study else best_system
        tables = run.present(SHOWN)
        if split == CROSS_VALIDATED:
            tables[EXAMPLES.name] = tables[EXAMPLES.name].withColumn("split", F.lit(CROSS_VALIDATED))
        content = collect_content(
            tables,
            run_facts(run.record),
            task=task,
            split=split,
            best_system=best_system,
            baseline=baseline,
            main_measure=measures[0],
            measures=measures,
        )
        content = replace(
            content, stories=explained_stories(run, best_system, content.stories), cautions=cautions(run), study=study
        )
        target = path or run.lake.path("reports", f"{run.run_id}.html")
        write_file(target, page_bytes(render(content)), run.lake.storage)
        run.add_artifact("report", target)
        step.rows_out = 1
    return content


def show(content: RunReport, path: str) -> None:
    """Print the table of systems and where the page is."""
    console = Console()
    console.print()
    print_systems(content, console)
    console.print(f"\nreport: {path}", soft_wrap=True, highlight=False)


def _headline(run: Run, measure: str) -> tuple[str, str, str]:
    """Task and split to speak of, and the system that is best there; where nothing was measured, any that ranked."""
    measured = run.read(METRICS).where(F.col("measure") == measure)
    best = measured.orderBy("split", F.col("value").desc(), "system").first()
    row = best or run.read(RANKINGS).orderBy("split", "system").first()
    assert row is not None, "a run without rankings fails when it scores"
    return row["task"], row["split"], row["system"]
