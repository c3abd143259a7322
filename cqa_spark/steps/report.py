"""metrics + rankings → the page that people read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from pyspark.sql import functions as F

from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
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
    SITE_METRICS,
    TRANSFERS,
    TRIALS,
)
from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.object_store.locations import write_file
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.run.collect import collect_content
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.page import render
from cqa_spark.reports.run.record.collect import run_facts
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.cautions import cautions
from cqa_spark.steps.explanations import explained_stories
from cqa_spark.steps.study import found_study

SHOWN = (RANKINGS, EXAMPLES, QUERY_METRICS, DOCUMENTS, TEXTS, POSTS, QUARANTINE)
SHOWN_ENTRIES = (
    METRICS,
    COMPARISONS,
    FEATURE_IMPORTANCES,
    CROSS_VALIDATIONS,
    ABLATIONS,
    LEARNING_CURVES,
    INGESTED_FILES,
    CHANGES,
    CHECKS,
)
REPORT = Artifact("report")


@dataclass(frozen=True)
class Report(Step):
    """Gather what the page shows, and write it.

    An experiment on preferred answers has measures and a baseline of its own.

    Attributes:
        path: HTML file; None for one inside the lake.
        measures: order of the measures; the first one orders the systems.
        baseline: system that the others are compared with.
    """

    path: str | None
    measures: tuple[str, ...]
    baseline: str

    name = "report"

    def reads(self) -> tuple[Product, ...]:
        """What a run that was evaluated has."""
        return RANKINGS, EXAMPLES, QUERY_METRICS, METRICS

    def reads_if_present(self) -> tuple[Product, ...]:
        """All else that the page may show."""
        shown = (*SHOWN, *SHOWN_ENTRIES, SITE_METRICS, TRANSFERS, TRIALS)
        return tuple(table for table in shown if table not in self.reads())

    def writes(self) -> tuple[Product, ...]:
        """The page."""
        return (REPORT,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the page; its content stays in memory for whoever prints it."""
        counts.rows_in = run.read(RANKINGS).count()
        content = self._content(run)
        target = self.path or run.lake.path("reports", f"{run.run_id}.html")
        write_file(target, page_bytes(render(content)), run.lake.storage)
        run.add_artifact(REPORT.name, target)
        run.remember(REPORT.name, content)
        counts.rows_out = 1

    def _content(self, run: Run) -> RunReport:
        study, headline = found_study(run), _headline(run, self.measures[0])
        measures, baseline = (study.measures, study.baseline) if study else (self.measures, self.baseline)
        best_system = study.leading if study else headline.system
        tables = run.present(SHOWN)
        tables |= {
            table.name: run.lake.spark.createDataFrame([tuple(e.values()) for e in run.entries(table)], table.schema)
            for table in SHOWN_ENTRIES
            if run.has(table)
        }
        if headline.split == CROSS_VALIDATED:
            tables[EXAMPLES.name] = tables[EXAMPLES.name].withColumn("split", F.lit(CROSS_VALIDATED))
        content = collect_content(
            tables,
            run_facts(run.record),
            task=headline.task,
            split=headline.split,
            best_system=best_system,
            baseline=baseline,
            main_measure=measures[0],
            measures=measures,
        )
        stories = explained_stories(run, best_system, content.stories)
        return replace(content, stories=stories, cautions=cautions(run), study=study)


def report_content(run: Run) -> RunReport:
    """What the page of a run that was just reported shows."""
    content: RunReport = run.recall(REPORT.name)
    return content


class _Headline(NamedTuple):
    """What the page is about, and the best system there."""

    task: str
    split: str
    system: str


def _headline(run: Run, measure: str) -> _Headline:
    """The best system on the first part that was measured; where nothing was measured, any that ranked."""
    measured = [entry for entry in run.entries(METRICS) if entry["measure"] == measure]
    if measured:
        best = min(measured, key=lambda entry: (entry["split"], -entry["value"], entry["system"]))
        return _Headline(best["task"], best["split"], best["system"])
    first = run.read(RANKINGS).orderBy("split", "system").first()
    assert first is not None, "a run without rankings fails when it scores"
    return _Headline(first["task"], first["split"], first["system"])
