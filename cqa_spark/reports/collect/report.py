"""The whole content of a run's report, from its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError
from cqa_spark.reports.collect.distributions import collect_differences, collect_histograms
from cqa_spark.reports.collect.experiments import collect_ablations, collect_cross_validations, collect_curves
from cqa_spark.reports.collect.intake import collect_intake
from cqa_spark.reports.collect.measures import collect_evaluation, collect_importances
from cqa_spark.reports.collect.night import collect_night
from cqa_spark.reports.collect.scope import Scope
from cqa_spark.reports.collect.stories import collect_stories
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.content.run import RunFacts


def collect_content(
    tables: Mapping[str, DataFrame],
    run: RunFacts,
    *,
    task: str,
    split: str,
    best_system: str,
    baseline: str | None = None,
    main_measure: str = "MAP@10",
    measures: Sequence[str] = (),
    stories_each: int = 3,
    quarantine_samples: int = 5,
) -> RunReport:
    """Gather what the report shows; sums and histograms are made in Spark, texts and samples have a bound.

    Args:
        tables: declared tables by name (``cqa_spark.lake.schemas``). ``rankings`` must be there; a part of the page
            whose table is absent or empty (metrics, comparisons, query_metrics, examples, feature_importances,
            documents, texts, posts, cross_validations, ablations, learning_curves, quarantine, ingested_files, changes,
            checks) stays away.
        run: facts of the run. Its rankings are all that the table holds, whichever run made them: a night keeps those
            that nothing touched.
        task: what is ranked for what.
        split: the part to report on.
        best_system: system that the page speaks of first.
        baseline: system that the others are compared with.
        main_measure: the measure that systems are ordered by.
        measures: order of the columns; others follow alphabetically.
        stories_each: number of best and of worst queries.
        quarantine_samples: number of refused records to show.

    Raises:
        ContractError: there are no rankings of this task, split and system.
    """
    if "rankings" not in tables:
        raise ContractError("the report lacks the table rankings", "pass the table that scoring wrote")
    scope = Scope(tables, task, split, main_measure, best_system, baseline)
    evaluation = collect_evaluation(scope, measures)
    if best_system not in evaluation.systems:
        raise ContractError(
            f"run {run.run_id} has no ranking of {best_system} for {task} on {split}; "
            f"it has {', '.join(evaluation.systems) or 'none'}",
            "name a system that the run scored on this split",
        )
    return RunReport(
        run=run,
        evaluation=evaluation,
        differences=collect_differences(scope),
        histograms=collect_histograms(scope, evaluation.systems),
        importances=collect_importances(scope),
        stories=collect_stories(scope, stories_each),
        cross_validations=collect_cross_validations(scope),
        ablations=collect_ablations(scope),
        curves=collect_curves(scope),
        intake=collect_intake(scope, quarantine_samples),
        night=collect_night(scope),
    )
