"""features + labels → what families of features and more data are worth; only where the settings ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame

from cqa_spark.config.experiment_settings import ExperimentSettings
from cqa_spark.config.parts import EvaluationSettings, FeatureSettings
from cqa_spark.experiments.ablation import ablate
from cqa_spark.experiments.comparison import compare
from cqa_spark.experiments.learning_curve import learning_curve
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.metrics import ABLATIONS, CROSS_VALIDATIONS, LEARNING_CURVES
from cqa_spark.systems.system import System


def experiments_step(
    run: Run,
    settings: ExperimentSettings,
    evaluation: EvaluationSettings,
    systems: Sequence[System],
    *,
    features: FeatureSettings,
) -> None:
    """Write the tables of the experiments that are switched on; nothing otherwise.

    Args:
        run: a run whose features are computed.
        settings: which experiments, with which systems.
        evaluation: the first measure, and how sure it is.
        systems: the systems of the run.
        features: folds of the cross-fitting, and what as-of groups may see.
    """
    if not settings.any:
        return
    studied = [system for system in systems if system.name in settings.systems]
    with run.step("experiments") as step:
        step.rows_in = len(systems)
        if settings.cross_validation:
            tasks = dict.fromkeys(system.task for system in systems)
            compared = [
                compare(run, [system for system in systems if system.task == task], settings, evaluation)
                for task in tasks
            ]
            step.rows_out += run.write(CROSS_VALIDATIONS, reduce(DataFrame.unionByName, compared)).rows
        if settings.ablation:
            found = [ablate(run, system, evaluation) for system in studied]
            step.rows_out += run.write(ABLATIONS, reduce(DataFrame.unionByName, found)).rows
        if settings.learning_curve:
            curves = [
                learning_curve(run, system, evaluation, shares=settings.shares, features=features) for system in studied
            ]
            step.rows_out += run.write(LEARNING_CURVES, reduce(DataFrame.unionByName, curves)).rows
