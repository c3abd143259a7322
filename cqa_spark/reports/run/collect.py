"""Collects the content of a run's report from its tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry
from cqa_spark.reports.experiments.collect import (
    collect_ablations,
    collect_cross_validations,
    collect_curves,
    collect_seeds,
)
from cqa_spark.reports.night.collect import collect_night
from cqa_spark.reports.query_table.collect import queries
from cqa_spark.reports.query_table.content import MeasuredQuery
from cqa_spark.reports.run.content import RunReport
from cqa_spark.reports.run.differences.collect import differences
from cqa_spark.reports.run.features.collect import collect_importances
from cqa_spark.reports.run.intake.collect import collect_intake
from cqa_spark.reports.run.measured import MeasuredQueries, QuerySummary
from cqa_spark.reports.run.pairs.collect import collect_pairs
from cqa_spark.reports.run.queries.collect import collect_stories
from cqa_spark.reports.run.rankings import RankedSystem
from cqa_spark.reports.run.record.content import RunFacts
from cqa_spark.reports.run.scores.collect import collect_scores
from cqa_spark.reports.run.systems.collect import evaluation
from cqa_spark.reports.run.systems.content import Evaluation
from cqa_spark.reports.scope import Scope
from cqa_spark.reports.similarity.collect import collect_similarity

NO_MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType({})
NO_TEXTS: Mapping[str, str] = MappingProxyType({})


WriteQueries = Callable[[Iterable[MeasuredQuery]], None]


def collect_content(
    tables: Mapping[str, DataFrame],
    journal: Mapping[str, Sequence[Entry]],
    run: RunFacts,
    ranked: Sequence[RankedSystem],
    *,
    task: str,
    split: str,
    best_system: str,
    baseline: str | None = None,
    write_queries: WriteQueries | None = None,
    main_measure: str = "MAP@10",
    measures: Sequence[str] = (),
    stories_each: int = 3,
    quarantine_samples: int = 5,
    meanings: Mapping[str, Mapping[str, str]] = NO_MEANINGS,
    descriptions: Mapping[str, str] = NO_TEXTS,
) -> RunReport:
    """Collect the content of the report; Spark aggregates, and only a bounded number of rows reaches the driver.

    Args:
        tables: declared tables by name (``cqa_spark.lake.schemas``). ``rankings`` is required; the page omits the
            sections whose tables are absent or empty (query_metrics, examples, documents, texts, posts, quarantine).
        journal: entries of journal tables by name; the page omits the sections without entries (metrics, comparisons,
            feature_importances, cross_validations, ablations, learning_curves, seeds, ingested_files, changes, checks).
        run: facts of the run. Its rankings are all rows of the table, because a nightly run keeps unaffected rankings
            of earlier runs.
        ranked: the systems in the rankings.
        task: name of the task.
        split: split to report on.
        best_system: system that the page presents first.
        baseline: system that the others are compared with; None if there is none.
        write_queries: reads every query of an evaluation once, the lowest values first; None if no reader is needed.
        main_measure: measure that orders the systems.
        measures: order of the columns; other measures follow alphabetically.
        stories_each: number of best and of worst queries.
        quarantine_samples: number of quarantined records to show.
        meanings: by system, the meanings of its feature columns.
        descriptions: what a system is, by its name.

    Raises:
        ContractError: there are no rankings of the system for this task and split.
    """
    scope = Scope(tables, journal, task, split, main_measure, best_system, baseline)
    on_split = {each.system: each for each in ranked if (each.task, each.split) == (task, split)}
    if best_system not in on_split:
        raise ContractError(
            f"run {run.run_id} has no ranking of {best_system} for {task} on {split}; "
            f"it has {', '.join(on_split) or 'none'}",
            "name a system that the run scored on this split",
        )
    evaluated = evaluation(scope, on_split, measures, descriptions)
    similarity = collect_similarity(scope)
    measured = _measured(scope, evaluated, stories_each, write_queries)
    histograms, scores = collect_scores(scope, [on_split[system] for system in evaluated.systems])
    return RunReport(
        run=run,
        evaluation=evaluated,
        differences=differences(scope, measured),
        similarity=similarity,
        histograms=histograms,
        scores=scores,
        importances=collect_importances(scope, meanings),
        stories=collect_stories(scope, measured, stories_each) if evaluated.by_query else (),
        pairs=collect_pairs(scope),
        cross_validations=collect_cross_validations(scope),
        ablations=collect_ablations(scope),
        curves=collect_curves(scope),
        seeds=collect_seeds(scope),
        intake=collect_intake(scope, quarantine_samples),
        night=collect_night(scope),
    )


def _measured(scope: Scope, evaluated: Evaluation, each: int, write: WriteQueries | None) -> MeasuredQueries | None:
    """Read every query of an evaluation once; None without measurements, and for a measure of all queries together."""
    if not evaluated.measurements or scope.table("examples") is None or scope.table("query_metrics") is None:
        return None
    summary = QuerySummary(each)
    rows = summary.of(queries(scope, evaluated.queries))
    if write is None:
        deque(rows, maxlen=0)
    else:
        write(rows)
    return summary.result() if evaluated.by_query else None
