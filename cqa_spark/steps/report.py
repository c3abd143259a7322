"""metrics + rankings → the report: one HTML page, and files with every query of the evaluation beside it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pyspark.sql import functions as F

from cqa_spark.features.feature_table import feature_table, times
from cqa_spark.features.registry import meanings
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.publishing import REPORT as REPORT_FILE
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED, EXAMPLES, LEFT_OUT_GROUPS
from cqa_spark.lake.schemas.metrics import METRICS, QUERY_METRICS, of_population
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
    Unranked,
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

REPORT = Artifact("report")

SHOWN = 5_000
"""Maximum number of queries on the page of queries; the CSV file has all."""

_CONTRIBUTIONS = 6
"""Number of features shown per candidate, those with the largest contributions."""

_CANDIDATE = ("site", "query_id", "candidate_id")


@dataclass(frozen=True)
class Report(Step):
    """Collect the content of the page, and write it.

    A section about an experiment may name other measures, and another baseline.

    Attributes:
        path: HTML file; None for one inside the lake.
        measures: order of the measures; the first one orders the systems.
        baseline: system to compare the others with.
        unranked: what a night is about if it has nothing to rank; None for runs that always rank.
    """

    path: str | None
    measures: tuple[str, ...]
    baseline: str
    unranked: Unranked | None = None

    name = "report"
    imports = ("matplotlib.figure", "matplotlib.backends.backend_svg")

    def reads(self) -> tuple[Product, ...]:
        """The rankings, and the metrics."""
        return RANKINGS, EXAMPLES, QUERY_METRICS, METRICS

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
        if not ranked:
            assert self.unranked is not None, "only a night may have nothing to rank"
            ranked = (self.unranked.ranked,)
        counts.rows_in = sum(system.candidates for system in ranked)
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
        systems = sorted({system.system for system in ranked})
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
            unranked=self.unranked if not any(system.queries for system in ranked) else None,
        )


def written_report(run: Run) -> section.ReportValues:
    """The report that the current process wrote for the run."""

    def read(path: str) -> section.ReportValues:
        raise AssertionError(f"the flow has the step {Report.name}, which wrote {path}")

    return run.load_artifact(REPORT.name, read)


class _Evaluated(NamedTuple):
    """The task and split of the page, and the best system on it."""

    task: str
    split: str
    system: str


def _evaluated(metrics: Sequence[Entry], ranked: Sequence[RankedSystem], measure: str) -> _Evaluated:
    """The system that a night serves most, else the best one, on the first ranked split with measurements."""
    splits = {(system.task, system.split) for system in ranked}
    measured = [
        entry
        for entry in of_population(metrics, None)
        if entry["measure"] == measure and (entry["task"], entry["split"]) in splits
    ]
    if measured:
        best = min(measured, key=lambda entry: (entry["split"], -entry["value"], entry["system"]))
        compared = [system for system in ranked if (system.task, system.split) == (best["task"], best["split"])]
        served = max(compared, key=lambda system: system.served)
        return _Evaluated(best["task"], best["split"], served.system if served.served else best["system"])
    first = min(ranked, key=lambda system: (-system.served, system.split, system.system))
    return _Evaluated(first.task, first.split, first.system)


def _meanings(run: Run) -> dict[str, dict[str, str]]:
    """By system, the meanings of the features with an importance."""
    features: dict[str, list[str]] = {}
    for entry in run.entries_or_none(FEATURE_IMPORTANCES):
        features.setdefault(entry["system"], []).append(entry["feature"])
    paths = {system: run.artifact(model_artifact(system)) for system in features}
    return {
        system: meanings(names, numbered_groups(names, paths[system], run.lake.storage))
        for system, names in features.items()
    }


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
    pairs = zip(*(candidates.examples.column(name).to_pylist() for name in _CANDIDATE), strict=True)
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
    strongest = []
    for values, contributions in zip(candidates.of(features), model.contributions(candidates), strict=True):
        order = sorted(range(len(features)), key=lambda column: (-abs(contributions[column]), features[column]))
        strongest.append(
            tuple(
                FeatureContribution(
                    features[column],
                    float(values[column]),
                    float(contributions[column]),
                    features[column] in moments,
                    about.get(features[column], ""),
                )
                for column in order[:_CONTRIBUTIONS]
                if contributions[column]
            )
        )
    return strongest
