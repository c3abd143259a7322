"""Systems side by side by repeated cross-validation on the training part; dev is not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.experiment_settings import ExperimentSettings
from cqa_spark.config.parts import EvaluationSettings
from cqa_spark.evaluation.summary import summarise
from cqa_spark.experiments.cross_validation import CrossValidated, cross_validate, mean_over_repeats
from cqa_spark.experiments.variants import metrics_with_tests
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import IN_TRAINING
from cqa_spark.lake.schemas.metrics import CROSS_VALIDATIONS
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System

SEED = 1
"""Seed of the folds: every system is judged on the same ones."""


def compare(
    run: Run, systems: Sequence[System], settings: ExperimentSettings, evaluation: EvaluationSettings
) -> DataFrame:
    """Cross-validate systems of one task, and test each against the one with the highest mean.

    Args:
        run: a run whose features are computed.
        systems: of one task.
        settings: repeats and folds.
        evaluation: the first measure, and how sure it is.

    Returns:
        Rows of ``CROSS_VALIDATIONS``.
    """
    measure, task = evaluation.measures[0], systems[0].task
    with feature_frames(run, systems, task_examples(run, task).where(IN_TRAINING)) as frame_of:
        found = {
            system.name: cross_validate(
                system.build(),
                frame_of(system),
                name=system.name,
                measure=measure,
                folds=settings.folds,
                repeats=settings.repeats,
                seed=SEED,
            )
            for system in systems
        }
    best = max(found, key=lambda name: found[name].mean)
    queries = reduce(DataFrame.unionByName, map(mean_over_repeats, found.values())).persist()
    summary = summarise(queries, best, evaluation.resamples, evaluation.seed, evaluation.confidence)
    spreads = run.lake.spark.createDataFrame(_spreads(found), "system string, spread double")
    rows = metrics_with_tests(summary).drop("split").join(spreads, on="system", how="inner")
    described = {"best": best, "repeats": settings.repeats, "folds": settings.folds}
    return CROSS_VALIDATIONS.conform(rows.withColumns({name: F.lit(value) for name, value in described.items()}))


def _spreads(found: dict[str, CrossValidated]) -> list[tuple[str, float]]:
    return [(name, each.spread) for name, each in found.items()]
