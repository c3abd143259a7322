"""metrics + rankings → the report, one HTML page."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from pyspark.sql import functions as F

from cqa_spark.features.feature_table import feature_table, times
from cqa_spark.features.registry import meanings
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.publishing import REPORT as REPORT_FILE
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES, LEFT_OUT_GROUPS
from cqa_spark.lake.schemas.metrics import METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.table import Table
from cqa_spark.object_store.locations import local_target, write_file
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.scoring import collect_candidates
from cqa_spark.reports import section
from cqa_spark.reports.evaluation import evaluation, with_official_mean
from cqa_spark.reports.kinds import QUERIES, run_report
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.queries import any_of
from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.reports.recorded_scores import recorded_scores
from cqa_spark.reports.reported_run import (
    MeasuredQuery,
    Pair,
    Query,
    QueryLinks,
    RankedSystem,
    ReportedRun,
    ranked_systems,
)
from cqa_spark.reports.section import Headline
from cqa_spark.reports.sections.query_table import QueryTable, write_csv
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.steps.cautions import cautions
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frame
from cqa_spark.systems.recipes import descriptions
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import MODELS, model_artifact, numbered_groups, trained_system
from cqa_spark.task_contract.contract import task

# Every query of the evaluation, in files next to the report.

SHOWN = 5_000
"""Maximum number of queries on the page; the CSV file has all."""


def write_query_files(
    run: ReportedRun, queries: Iterable[MeasuredQuery], target: str, storage: ObjectStorageSettings
) -> QueryLinks:
    """Write ``REPORT.queries.csv`` and ``REPORT.queries.html``.

    Args:
        run: the reported run.
        queries: its queries, the lowest values first.
        target: path of the report.
        storage: object storage settings.

    Returns:
        The names of both files.
    """
    page, csv = (f"{target.removesuffix('.html')}.queries.{suffix}" for suffix in ("html", "csv"))
    links = QueryLinks(*(path.rsplit("/", 1)[-1] for path in (page, csv)))
    write_file(csv, b"", storage)  # creates the folder
    with local_target(csv, storage) as file:
        number, shown = write_csv(file, queries, keep=SHOWN)
    table = QueryTable(
        task=run.task,
        run_id=run.record.run_id,
        split=run.split,
        measure=run.main_measure,
        best_system=run.best_system,
        baseline=run.once(evaluation).baseline,
        csv=links.csv,
        queries=number,
        shown=shown,
    )
    write_file(page, page_bytes(QUERIES.collect(table).page()), storage)
    return links


# Feature contributions: the features that raised or lowered the score of each candidate of a few queries.

EXPLAINED_QUERIES = 6
"""Number of features shown per candidate, those with the largest contributions."""

CANDIDATE = ("site", "query_id", "candidate_id")


def explained_pairs(run: Run, system: str, queries: Sequence[Query]) -> Mapping[Pair, tuple[FeatureContribution, ...]]:
    """The feature contributions to the scores of all candidates of a few queries; empty if the ranker explains none."""
    if not run.artifact(model_artifact(system)) or not queries:
        return {}
    trained = trained_system(run, model_artifact(system))
    if not trained.model.explains:
        return {}
    examples = task_examples(run, trained.system.task)
    frame = feature_frame(run, [trained.system], examples, where=any_of("query_id", queries))
    candidates = collect_candidates(frame, trained.model.description.features)
    pairs = zip(*(candidates.examples.column(name).to_pylist() for name in CANDIDATE), strict=True)
    about = meanings(trained.model.description.features, trained.groups)
    return dict(zip(pairs, strongest_contributions(trained.model, trained.system, candidates, about), strict=True))


def strongest_contributions(
    model: RankerModel, system: System, candidates: Candidates, about: Mapping[str, str]
) -> list[tuple[FeatureContribution, ...]]:
    """The features with the largest contributions to each candidate's score, the largest first.

    Args:
        model: fitted model of the system's ranker, which explains its scores.
        system: the system.
        candidates: with the model's features.
        about: meaning by feature column.
    """
    features, moments = model.description.features, times(system.feature_groups)
    rows = zip(candidates.of(features), model.contributions(candidates), strict=True)
    return [_strongest(features, moments, about, *both) for both in rows]


def _strongest(
    features: Sequence[str],
    moments: Collection[str],
    about: Mapping[str, str],
    values: np.ndarray,
    contributions: np.ndarray,
) -> tuple[FeatureContribution, ...]:
    order = sorted(range(len(features)), key=lambda place: (-abs(contributions[place]), features[place]))
    return tuple(
        FeatureContribution(
            features[place],
            float(values[place]),
            float(contributions[place]),
            features[place] in moments,
            about.get(features[place], ""),
        )
        for place in order[:EXPLAINED_QUERIES]
        if contributions[place]
    )


REPORT = Artifact("report")


@dataclass(frozen=True)
class Report(Step):
    """Collect the content of the page, and write it.

    A section about an experiment may name other measures, and another baseline.

    Attributes:
        path: HTML file; None for one inside the lake.
        measures: order of the measures; the first one orders the systems.
        baseline: system to compare the others with.
        evaluated: whether an earlier step measures the rankings; False for nights that measure replayed ones instead.
    """

    path: str | None
    measures: tuple[str, ...]
    baseline: str
    evaluated: bool = True

    name = "report"
    imports = ("matplotlib.figure", "matplotlib.backends.backend_svg")

    def reads(self) -> tuple[Product, ...]:
        """The rankings, and the metrics of an evaluated run."""
        return RANKINGS, EXAMPLES, *((QUERY_METRICS, METRICS) if self.evaluated else ())

    def reads_if_present(self) -> tuple[Product, ...]:
        """All other tables that the page may show."""
        shown = (*run_report().products, LEFT_OUT_GROUPS, feature_table(()))
        return *(table for table in shown if table not in self.reads()), Artifact(MODELS)

    def writes(self) -> tuple[Product, ...]:
        """The page."""
        return (REPORT,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the page; its content stays in memory for commands that print it."""
        ranked = ranked_systems(run.read(RANKINGS))
        counts.rows_in = sum(each.candidates for each in ranked)
        target = self.path or run.artifact_path(REPORT_FILE)
        reported = self._reported(run, ranked, target)
        report = run_report().collect(reported)
        write_file(target, page_bytes(report.page()), run.lake.storage)
        run.add_artifact(REPORT.name, target, loaded=report)
        run.add_scores(recorded_scores(reported))
        counts.rows_out = 1

    def _reported(self, run: Run, ranked: Sequence[RankedSystem], target: str) -> ReportedRun:
        products = run_report().products
        entries = {
            table.name: run.entries(table) for table in products if isinstance(table, JournalTable) and run.has(table)
        }
        journal, mean = with_official_mean(entries)
        evaluated = _evaluated(journal.get(METRICS.name, ()), ranked, mean or self.measures[0])
        of_section = run_report().headline(journal, task(evaluated.task).measures)
        headline = of_section or Headline(evaluated.system, self.baseline, self.measures)
        measures = (mean, *headline.measures) if mean else headline.measures
        tables = run.present([table for table in products if isinstance(table, Table)])
        is_cross_validated = evaluated.split == CROSS_VALIDATED
        if is_cross_validated:
            tables[EXAMPLES.name] = tables[EXAMPLES.name].withColumn("split", F.lit(CROSS_VALIDATED))
        systems = sorted({each.system for each in ranked})
        return ReportedRun(
            record=run.record,
            tables=tables,
            journal=journal,
            ranked=ranked,
            task=evaluated.task,
            split=evaluated.split,
            best_system=headline.system,
            baseline=headline.baseline,
            main_measure=measures[0],
            measures=measures,
            descriptions=descriptions(systems),
            meanings=_meanings(run),
            cautions=cautions(run, systems),
            contributions=partial(explained_pairs, run),
            write_queries=None
            if is_cross_validated
            else partial(write_query_files, target=target, storage=run.lake.storage),
        )


def written_report(run: Run) -> section.ReportValues:
    """The report that the current process wrote for the run."""

    def read(path: str) -> section.ReportValues:
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


class _Evaluated(NamedTuple):
    """The task and split of the page, and the best system on it."""

    task: str
    split: str
    system: str


def _evaluated(metrics: Sequence[Entry], ranked: Sequence[RankedSystem], measure: str) -> _Evaluated:
    """The system that a night serves most, else the best one, on the first split with measurements."""
    measured = [entry for entry in metrics if entry["measure"] == measure]
    if measured:
        best = min(measured, key=lambda entry: (entry["split"], -entry["value"], entry["system"]))
        here = [each for each in ranked if (each.task, each.split) == (best["task"], best["split"])]
        served = max(here, key=lambda each: each.served)
        return _Evaluated(best["task"], best["split"], served.system if served.served else best["system"])
    assert ranked, "a run without rankings fails in the score step"
    first = min(ranked, key=lambda each: (-each.served, each.split, each.system))
    return _Evaluated(first.task, first.split, first.system)
