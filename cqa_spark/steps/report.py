"""metrics + rankings → the report, one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pyspark.sql import functions as F

from cqa_spark.features.catalogue import meanings
from cqa_spark.features.feature_table import feature_table
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.publishing import REPORT as REPORT_FILE
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.attentions import ATTENTIONS
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES
from cqa_spark.lake.schemas.left_out import LEFT_OUT_GROUPS
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, QUERY_METRICS, SET_METRICS, SITE_METRICS
from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.schemas.retrieval import UNRETRIEVED
from cqa_spark.lake.schemas.studies import ABLATIONS, CROSS_VALIDATIONS, LEARNING_CURVES, SEEDS, TRANSFERS, TRIALS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.object_store.locations import write_file
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.run.collect import collect_content
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.rankings import RankedSystem, ranked_systems
from cqa_spark.reports.run.record.collect import run_facts
from cqa_spark.reports.similarity.official_mean import with_official_mean
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.cautions import cautions
from cqa_spark.steps.explanations import explained_stories
from cqa_spark.steps.query_table import QueryFiles
from cqa_spark.steps.study import found_study
from cqa_spark.systems.numbered_groups import numbered_groups
from cqa_spark.systems.recipes import descriptions
from cqa_spark.systems.trained_system import MODELS, model_artifact

SHOWN = (RANKINGS, EXAMPLES, UNRETRIEVED, QUERY_METRICS, DOCUMENTS, TEXTS, POSTS, QUARANTINE)
SHOWN_ENTRIES = (
    METRICS,
    COMPARISONS,
    FEATURE_IMPORTANCES,
    CROSS_VALIDATIONS,
    ABLATIONS,
    LEARNING_CURVES,
    SEEDS,
    SET_METRICS,
    INGESTED_FILES,
    CHANGES,
    CHECKS,
)
OF_STUDIES = (SITE_METRICS, TRANSFERS, TRIALS, ATTENTIONS)
REPORT = Artifact("report")


@dataclass(frozen=True)
class Report(Step):
    """Collect the content of the page, and write it.

    The preferred-answer experiment has its own measures and baseline.

    Attributes:
        path: HTML file; None for one inside the lake.
        measures: order of the measures; the first one orders the systems.
        baseline: system to compare the others with.
    """

    path: str | None
    measures: tuple[str, ...]
    baseline: str

    name = "report"
    imports = ("cqa_spark.reports.run.page",)

    def reads(self) -> tuple[Product, ...]:
        """The rankings and metrics of an evaluated run."""
        return RANKINGS, EXAMPLES, QUERY_METRICS, METRICS

    def reads_if_present(self) -> tuple[Product, ...]:
        """All other tables that the page may show."""
        shown = (
            *SHOWN,
            *SHOWN_ENTRIES,
            SITE_METRICS,
            TRANSFERS,
            TRIALS,
            ATTENTIONS,
            LEFT_OUT_GROUPS,
            feature_table(()),
        )
        return *(table for table in shown if table not in self.reads()), Artifact(MODELS)

    def writes(self) -> tuple[Product, ...]:
        """The page."""
        return (REPORT,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the page; its content stays in memory for commands that print it."""
        from cqa_spark.reports.run.page import render  # imports Matplotlib, which takes a second

        ranked = ranked_systems(run.read(RANKINGS))
        counts.rows_in = sum(each.candidates for each in ranked)
        target = self.path or run.artifact_path(REPORT_FILE)
        files = QueryFiles(run, target)
        content = files.finish(self._content(run, ranked, files))
        write_file(target, page_bytes(render(content)), run.lake.storage)
        run.add_artifact(REPORT.name, target, loaded=content)
        counts.rows_out = 1

    def _content(self, run: Run, ranked: Sequence[RankedSystem], files: QueryFiles) -> RunReport:
        study = found_study(run)
        entries = {table.name: run.entries(table) for table in SHOWN_ENTRIES if run.has(table)}
        journal, mean = with_official_mean(entries)
        measures, baseline = (study.measures, study.baseline) if study else (self.measures, self.baseline)
        measures = (mean, *measures) if mean else measures
        headline = _headline(journal[METRICS.name], ranked, mean or self.measures[0])
        best_system = study.leading if study else headline.system
        tables = run.present(SHOWN)
        if headline.split == CROSS_VALIDATED:
            tables[EXAMPLES.name] = tables[EXAMPLES.name].withColumn("split", F.lit(CROSS_VALIDATED))
        content = collect_content(
            tables,
            journal,
            run_facts(run.record),
            ranked,
            task=headline.task,
            split=headline.split,
            best_system=best_system,
            baseline=baseline,
            write_queries=None if headline.split == CROSS_VALIDATED else files.write,
            main_measure=measures[0],
            measures=measures,
            meanings=_meanings(run),
            descriptions=descriptions(each.system for each in ranked),
        )
        stories = explained_stories(run, best_system, content.stories)
        systems = sorted({each.system for each in ranked})
        return replace(content, stories=stories, cautions=cautions(run, systems), study=study)


def report_content(run: Run) -> RunReport:
    """The content of the page that the current process wrote for the run."""

    def read(path: str) -> RunReport:
        raise AssertionError(f"the flow has the step {Report.name}, which wrote {path}")

    return run.load_artifact(REPORT.name, read)


def _meanings(run: Run) -> dict[str, dict[str, str]]:
    """By system, the meanings of the features with an importance."""
    features: dict[str, list[str]] = {}
    for entry in run.entries_or_none(FEATURE_IMPORTANCES):
        features.setdefault(entry["system"], []).append(entry["feature"])
    paths = {system: run.artifact(model_artifact(system)) for system in features}
    return {
        system: meanings(found, numbered_groups(found, paths[system], run.lake.storage))
        for system, found in features.items()
    }


class _Headline(NamedTuple):
    """The task and split of the page, and the best system on it."""

    task: str
    split: str
    system: str


def _headline(metrics: Sequence[Entry], ranked: Sequence[RankedSystem], measure: str) -> _Headline:
    """The best system on the first split with measurements; without measurements, the first system."""
    measured = [entry for entry in metrics if entry["measure"] == measure]
    if measured:
        best = min(measured, key=lambda entry: (entry["split"], -entry["value"], entry["system"]))
        return _Headline(best["task"], best["split"], best["system"])
    assert ranked, "a run without rankings fails in the score step"
    first = min(ranked, key=lambda each: (each.split, each.system))
    return _Headline(first.task, first.split, first.system)
